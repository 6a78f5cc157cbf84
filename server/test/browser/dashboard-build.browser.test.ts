import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { addTextSource } from '#features/ingestion/index.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'

const main = (page: Page) => page.getByRole('main')
const chatOf = (page: Page) => page.getByRole('region', { name: 'Test chat' })

async function ask(page: Page, question: string): Promise<void> {
  const box = chatOf(page).getByLabel('Message')
  await box.fill(question)
  await box.press('Enter')
}

/** Publishes the draft as it is shown in the dialog. */
async function publish(page: Page, note = ''): Promise<void> {
  await page.getByRole('button', { name: 'Publish changes' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Version note').fill(note)
  await dialog.getByRole('button', { name: 'Publish changes' }).click()
}

describeDashboard('the Build page of an agent', (open) => {
  let service: DashboardService
  let path: string
  let appId: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', {
      name: 'Tea shop',
      description: 'Answers questions about orders and returns',
      system_prompt: 'You help the customers of our tea shop.\n\nAnswer briefly and kindly.',
      greeting: 'Welcome to the tea shop. What would you like to know?',
      suggestions: ['How long may I return an order?', 'Which teas have no caffeine?'],
    })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}/build`
    await addTextSource(service.ctx, service.ada.workspaceId, {
      appId,
      title: 'Returns',
      text: 'Orders can be returned within 30 days. The parcel goes back free of charge.',
      url: 'https://shop.example/returns',
    })
  })

  test('is sound in both themes, wide and at 360 px, before and after an answer', async () => {
    await expectSound(service, 'build', path)
    await expectSound(service, 'build-answer', path, async (page) => {
      await ask(page, 'How long can orders be returned?')
      await chatOf(page).getByText('1 citation').click()
    })
    await expectSound(service, 'build-changed', path, (page) =>
      page.getByLabel('Instructions', { exact: true }).fill('Something else'),
    )
  })

  test('a new member creates an agent, writes instructions and sees them saved as a version', async () => {
    const page = await service.visit('/agents/new')
    await page.getByLabel('Name', { exact: true }).fill('Helper')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByRole('heading', { level: 1, name: 'Build' }).waitFor()
    await page.getByLabel('Instructions', { exact: true }).fill('You are a helper.')
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 field differs').waitFor()
    await dialog.getByLabel('Version note').fill('A first prompt')
    await page.keyboard.press('Enter')
    await page.getByText('Version 2 is live').waitFor()
    await page.reload()
    expect(await page.getByLabel('Instructions', { exact: true }).inputValue()).toBe(
      'You are a helper.',
    )
    await page.getByRole('link', { name: 'Versions' }).click()
    await main(page).getByText('A first prompt').waitFor()
  })

  test('the agent answers in the test chat with a citation', async () => {
    const page = await service.visit(path)
    await ask(page, 'How long can orders be returned?')
    const chat = chatOf(page)
    await chat
      .getByText(/within 30 days/)
      .first()
      .waitFor()
    await chat.getByText('1 citation').click()
    const link = chat.getByRole('link', { name: 'Open Returns' })
    expect(await link.getAttribute('href')).toBe('https://shop.example/returns')
    await chat.locator('a[href*="/knowledge/"]', { hasText: '[1]' }).waitFor()
    await chat.getByText(/in total/).waitFor()
    await chat.getByText(/tokens/).waitFor()
    await chat.getByText('No cost').waitFor()
  })

  test('a conversation continues or starts again, and is written with Enter and Shift+Enter', async () => {
    const page = await service.visit(path)
    const chat = chatOf(page)
    const box = chat.getByLabel('Message')
    await box.fill('One')
    await box.press('Shift+Enter')
    await box.pressSequentially('two')
    expect(await box.inputValue()).toBe('One\ntwo')
    await page.reload()
    expect(await box.inputValue()).toBe('One\ntwo')
    await box.press('Enter')
    await chat.getByText(/in total/).waitFor()
    await chat.getByRole('button', { name: 'New conversation' }).click()
    await chat.getByRole('button', { name: 'How long may I return an order?' }).click()
    await chat
      .getByText(/within 30 days/)
      .first()
      .waitFor()
    expect(await chat.getByText('One').count()).toBe(0)
  })

  test('an edited question is asked again, and its answer is rated', async () => {
    const page = await service.visit(path)
    const chat = chatOf(page)
    await ask(page, 'Where are you?')
    await chat.getByText(/in total/).waitFor()
    const first = page.url()
    await chat.getByRole('button', { name: 'Edit the question' }).click()
    await chat.getByLabel('Edited question').fill('How long can orders be returned?')
    await chat.getByRole('button', { name: 'Ask again' }).click()
    await chat.getByRole('button', { name: 'Good answer' }).click()
    await page.waitForURL((url) => url.href !== first)
    await page.reload()
    await chat.locator('[aria-pressed=true]').waitFor()
    expect(await chat.getByText('Where are you?').count()).toBe(0)
    await chat.getByRole('button', { name: 'Answer again' }).click()
    await chat.getByText(/in total/).waitFor()
    expect(await chat.getByText('How long can orders be returned?').count()).toBe(1)
  })

  test('input survives a reload, and an invalid number is reported before it is sent', async () => {
    // Its own agent: another test may have left a draft, which is discarded only after a question.
    const agent = await service.call('create_app', { name: 'Unsaved' })
    const page = await service.visit(`/agents/${String(agent.app_name_id)}/build`)
    await page.getByLabel('Temperature', { exact: true }).fill('7')
    await page.getByText('Enter a number from 0 to 2.').waitFor()
    await page.getByLabel('Instructions', { exact: true }).fill('Half written')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    expect(await page.getByLabel('Instructions', { exact: true }).inputValue()).toBe('Half written')
    expect(await page.getByLabel('Temperature', { exact: true }).inputValue()).toBe('7')
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await page.getByLabel('Temperature', { exact: true }).inputValue()).toBe('')
  })

  test('a model is chosen from the list of its provider, and one that is not listed is typed', async () => {
    const page = await service.visit(path)
    const field = page.getByRole('combobox', { name: 'Model' })
    await field.fill('openai/of-tomorrow')
    await page.getByText('This model is not in the list.').waitFor()
    await field.fill('local')
    await page.getByRole('option', { name: /local\/extractive/ }).click()
    expect(await field.inputValue()).toBe('local/extractive')
    await main(page).getByText('Default', { exact: true }).waitFor()
  })

  test('suggestions are added, moved and removed', async () => {
    const agent = await service.call('create_app', { name: 'Asker', suggestions: ['A?', 'B?'] })
    const page = await service.visit(`/agents/${String(agent.app_name_id)}/build`)
    await page.getByRole('button', { name: 'Add question' }).click()
    await page.getByLabel('Question 3', { exact: true }).fill('C?')
    await page.getByRole('button', { name: 'Move question 3 up' }).click()
    await page.getByRole('button', { name: 'Remove question 1' }).click()
    await publish(page)
    await page.getByText('Version 2 is live').waitFor()
    const saved = await service.call('get_app', { app_id: agent.id })
    expect(saved.suggestions).toEqual(['C?', 'B?'])
  })

  test('a version is compared with the live one, and restoring it shows what changes and asks', async () => {
    const agent = await service.call('create_app', {
      name: 'Versioned',
      system_prompt: 'Answer briefly and kindly.',
    })
    await service.call('update_app', {
      app_id: agent.id,
      system_prompt: 'Answer briefly and with care.',
      temperature: 0.5,
      note: 'More care',
    })
    const address = `/agents/${String(agent.app_name_id)}/build/versions`
    await expectSound(service, 'build-versions', address, (page) =>
      main(page).getByText('More care').waitFor(),
    )
    await expectSound(service, 'build-diff', `${address}/1`, (page) =>
      main(page).getByText('2 fields differ').waitFor(),
    )
    const page = await service.visit(address)
    await main(page).getByRole('link', { name: 'Compare version 1 with the live version' }).click()
    expect(await main(page).locator('del').first().textContent()).toContain('kindly')
    expect(await main(page).locator('ins').first().textContent()).toContain('with')
    const prompt = async () => {
      const { system_prompt, version } = await service.call('get_app', { app_id: agent.id })
      return { system_prompt, version }
    }
    await main(page).getByRole('button', { name: 'Restore' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore version 1?' })
    expect(await dialog.locator('del').first().textContent()).toContain('with')
    expect(await dialog.locator('ins').first().textContent()).toContain('kindly')
    await expectSoundLooks(page, 'build-restore')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await prompt()).toMatchObject({ version: 2 })
    await main(page).getByRole('button', { name: 'Restore' }).click()
    await dialog.getByRole('button', { name: 'Restore and publish' }).click()
    await page.getByText('Version 1 is restored as version 3').waitFor()
    expect(await prompt()).toEqual({ system_prompt: 'Answer briefly and kindly.', version: 3 })
  })
})

describeDashboard('the answer of a model', (open) => {
  const attack = [
    'Hello <img src=x onerror="document.title=\'owned\'">',
    '<script>document.title = "owned"</script>',
    '<iframe src="https://evil.example/frame"></iframe>',
    '[a link](javascript:document.title="owned")',
    '[another](data:text/html,<script>alert(1)</script>)',
    '![a picture](https://evil.example/seen.png)',
    '<a href="https://evil.example" onclick="document.title=\'owned\'">html</a>',
  ].join('\n\n')
  let service: DashboardService
  let path: string

  beforeAll(async () => {
    const models = await startModelServer({
      script: ({ body }) =>
        JSON.stringify(body).includes('slowly')
          ? { reply: Array.from({ length: 200 }, (_, n) => `word${n} `), chunkMs: 50 }
          : { reply: attack },
    })
    service = await open({ OPENAI_BASE_URL: models.baseUrl, OPENAI_API_KEY: 'sk-x' })
    const agent = await service.call('create_app', { name: 'Bad', model: 'openai/gpt-5.2' })
    path = `/agents/${String(agent.app_name_id)}/build`
  })

  test('runs no script, adds no markup of its own and sends no request to another host', async () => {
    const page = await service.visit(path)
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(service.baseUrl)) foreign.push(request.url())
    })
    await ask(page, 'Hello')
    const answer = chatOf(page).getByRole('article')
    await answer.getByText('a link', { exact: true }).waitFor()
    await answer.getByText(/in total/).waitFor()
    expect(await answer.locator('script, img, iframe, [onerror], [onclick]').count()).toBe(0)
    const links = await answer.getByRole('link').all()
    for (const link of links) {
      expect(await link.getAttribute('href')).toMatch(/^https?:/)
      expect(await link.getAttribute('rel')).toContain('noopener')
    }
    const plain = answer.getByText('a link', { exact: true })
    await plain.click()
    expect(await plain.getAttribute('href')).toBeNull()
    await sleep(200)
    expect(await page.title()).toBe('Build · Bad · Parley')
    expect(foreign).toEqual([])
  })

  test('is stopped in the middle, and the text so far is kept', async () => {
    const page = await service.visit(path)
    await ask(page, 'Say it slowly')
    const chat = chatOf(page)
    await chat.getByText(/word2/).waitFor()
    await chat.getByRole('button', { name: 'Stop' }).click()
    await chat.getByText('Stopped. The answer up to this point is kept.').waitFor()
    await chat.getByText(/word2/).waitFor()
    expect(await chat.getByText(/word199/).count()).toBe(0)
    await chat.getByRole('button', { name: 'Send' }).waitFor()
  })
})
