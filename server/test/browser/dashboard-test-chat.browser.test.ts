import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const code = '```ts\nconst pots = 3\n```'

describeDashboard('the test chat of an agent', (open) => {
  let service: DashboardService
  let models: ModelServer
  let path: string
  let appId: string

  beforeAll(async () => {
    models = await startModelServer({
      script: ({ body }) => {
        const asked = JSON.stringify(body)
        if (asked.includes('some code')) return { reply: `Here:\n\n${code}` }
        if (asked.includes('gpt-mini') || body.model === 'gpt-mini')
          return { reply: 'Mini says so.' }
        return { reply: asked.includes('Be kind.') ? 'Kindly, yes.' : 'Yes.' }
      },
    })
    service = await open({
      OPENAI_BASE_URL: models.baseUrl,
      OPENAI_API_KEY: 'sk-x',
      MAX_CHAT_FILES: '2',
      MAX_CHAT_FILE_BYTES: '2000',
    })
    const agent = await service.call('create_app', { name: 'Tea shop', model: 'openai/gpt-5.2' })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}/build`
    await service.call('update_app', { app_id: appId, publish: false, system_prompt: 'Be kind.' })
  })

  const chatOf = (page: Page) => page.getByRole('region', { name: 'Test chat' })

  async function ask(page: Page, question: string): Promise<void> {
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.fill(question)
    await box.press('Enter')
  }

  const lastBody = async () =>
    JSON.stringify((await models.request(models.requests.length - 1)).body)

  /** Lets the page receive a file as a paste or a drop does. */
  async function give(page: Page, event: 'paste' | 'drop', name: string): Promise<void> {
    const box = await chatOf(page).getByLabel('Message').elementHandle()
    await page.evaluate(
      `((box) => {
        const data = new DataTransfer()
        data.items.add(new File(['Pots are ${name}.'], ${JSON.stringify(name)}, { type: 'text/plain' }))
        const init = { bubbles: true, cancelable: true }
        box.dispatchEvent(
          ${JSON.stringify(event)} === 'paste'
            ? new ClipboardEvent('paste', { ...init, clipboardData: data })
            : new DragEvent('drop', { ...init, dataTransfer: data }),
        )
      })(document.querySelector('#test-chat-message'))`,
    )
    await box?.dispose()
  }

  test('files are chosen, pasted and dropped, and the model reads them', async () => {
    const page = await service.visit(path)
    const chat = chatOf(page)
    await chat
      .getByLabel('Files to attach')
      .setInputFiles([{ name: 'pot.png', mimeType: 'image/png', buffer: png }])
    await give(page, 'paste', 'blue.txt')
    await give(page, 'drop', 'red.txt')
    const attached = chat.getByRole('list', { name: 'Attached files' })
    await attached.getByText('red.txt').waitFor()
    await give(page, 'drop', 'green.txt')
    await chat.getByText('A message can have 2 documents.').waitFor()
    await attached.getByRole('button', { name: 'Remove blue.txt' }).click()
    await chat.getByText('A message can have 2 documents.').waitFor({ state: 'detached' })
    await ask(page, 'What do you see?')
    await chat.getByText('Kindly, yes.').waitFor()
    const body = await lastBody()
    expect(body).toContain('Pots are red.txt.')
    expect(body).toContain('data:image/png;base64,')
    expect(body).not.toContain('blue.txt')
    // The question shows its files, and they are sent again with it.
    await chat.getByRole('article').getByText('pot.png').waitFor()
    await chat.getByText(/in total/).waitFor()
    const before = models.requests.length
    await chat.getByRole('button', { name: 'Answer again' }).click()
    await expect.poll(() => models.requests.length).toBeGreaterThan(before)
    expect(await lastBody()).toContain('Pots are red.txt.')
    // After a reload the files are no longer known: the question is not asked again without them.
    await chat.getByText(/in total/).waitFor()
    await page.reload()
    await chat.getByText('Kindly, yes.').waitFor()
    expect(await chat.getByRole('button', { name: 'Answer again' }).count()).toBe(0)
  })

  test('a file that cannot be read is named, and one that is too large is not sent', async () => {
    const page = await service.visit(path)
    const chat = chatOf(page)
    const give = (name: string, buffer: Buffer) =>
      chat.getByLabel('Files to attach').setInputFiles([{ name, mimeType: '', buffer }])
    await give('large.txt', Buffer.alloc(2_001, 'x'))
    await chat.getByRole('alert').getByText('large.txt is larger than').waitFor()
    await give('damaged.pdf', Buffer.from('not a PDF'))
    await ask(page, 'What is this?')
    await chat.getByText('"damaged.pdf" cannot be read').waitFor()
  })

  test('code is copied from its block', async () => {
    const page = await service.visit(path, { permissions: ['clipboard-read', 'clipboard-write'] })
    await ask(page, 'Show me some code')
    const copy = chatOf(page).getByRole('button', { name: /Copy.*code/i })
    await copy.click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('const pots = 3')
  })

  test('an answer is copied as it was written, and its passages are shown with their scores', async () => {
    const agent = await service.call('create_app', { name: 'Quoting', model: 'local/extractive' })
    const text = 'Returns are free. You can return **tea** within 40 days.'
    await service.call('add_knowledge_source', { app_id: agent.id, title: 'Returns', text })
    const page = await service.visit(`/agents/${String(agent.app_name_id)}/build`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await ask(page, 'Within how many days can I return tea?')
    const chat = chatOf(page)
    await chat.getByText('1 citation').click()
    const passage = chat.getByRole('listitem').filter({ hasText: 'within 40 days' })
    await passage.getByText(/^Score \d/).waitFor()
    await chat.getByRole('button', { name: 'Copy the answer' }).click()
    await chat.getByText('Copied').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    // The Markdown, not what it looks like.
    expect(copied).toContain('return **tea** within 40 days')
    await expectSoundLooks(page, 'dashboard-test-chat-passages')
  })

  test('an editor opens the prompt as sent, a viewer has none', async () => {
    const page = await service.visit(path)
    await ask(page, 'Are you open?')
    const chat = chatOf(page)
    await chat.getByText('Prompt as sent').click()
    await chat.getByText('openai/gpt-5.2').waitFor()
    await chat.getByRole('region', { name: 'system' }).getByText('Be kind.').waitFor()
    await chat.getByRole('region', { name: 'user' }).getByText('Are you open?').waitFor()
    await chat.getByRole('region', { name: 'Parameters' }).waitFor()
    const vera = await service.account('Vera', 'viewer')
    const other = await service.visit(path, { as: vera })
    await ask(other, 'Are you open?')
    await chatOf(other)
      .getByText(/in total/)
      .waitFor()
    expect(await chatOf(other).getByText('Prompt as sent').count()).toBe(0)
  })

  test('two variants answer side by side, one is preferred, and nothing of it is stored', async () => {
    const stored = async () =>
      (await service.call('list_conversations', { app_id: appId })).items as unknown[]
    const before = (await stored()).length
    const page = await service.visit(`${path}/compare`)
    await ask(page, 'Do you ship?')
    const main = page.getByRole('main')
    const draft = main.getByRole('region', { name: 'Draft', exact: true })
    const published = main.getByRole('region', { name: 'Published (version 1)' })
    await draft.getByText('Kindly, yes.').waitFor()
    await published.getByText('Yes.', { exact: true }).waitFor()
    for (const side of [draft, published]) {
      await side.getByText(/First word after/).waitFor()
      await side.getByText(/tokens/).waitFor()
      await side.getByText('Price not known').waitFor()
    }
    await draft.getByRole('button', { name: 'This answer is better' }).click()
    await main.getByText('Draft: 1 · Published (version 1): 0').waitFor()
    // Each side continues its own conversation.
    await ask(page, 'And abroad?')
    await published.nth(1).getByText('Yes.', { exact: true }).waitFor()
    await draft.nth(1).getByText('Kindly, yes.').waitFor()
    expect(await lastBody()).toContain('Do you ship?')
    expect((await stored()).length).toBe(before)
    await page.goto(`${service.baseUrl}${path}/compare?left=published&right=openai/gpt-mini`)
    await ask(page, 'Do you ship?')
    await main.getByText('Mini says so.').waitFor()
    const { totals } = await service.call('get_app_analytics', { app_id: appId })
    expect(totals).toMatchObject({ sessions: 0, cost_micros: 0 })
  })

  test('its answers, files and comparisons are sound in both themes, wide and at 360 px', async () => {
    await expectSound(service, 'test-chat-files', path, async (page) => {
      const chat = chatOf(page)
      const files = chat.getByLabel('Files to attach')
      await files.setInputFiles([{ name: 'pot.png', mimeType: 'image/png', buffer: png }])
      await chat.getByText('pot.png').waitFor()
      await ask(page, 'What do you see?')
      await chat.getByText('Prompt as sent').click()
      await files.setInputFiles([
        { name: 'The catalogue of our teas.txt', mimeType: 'text/plain', buffer: png },
      ])
      await chat.getByText('The catalogue of our teas.txt').waitFor()
      await chat.getByLabel('Message').scrollIntoViewIfNeeded()
    })
    await expectSound(service, 'compare', `${path}/compare`, async (page) => {
      await ask(page, 'Do you ship?')
      await page.getByText('Price not known').nth(1).waitFor()
      await page.getByRole('button', { name: 'This answer is better' }).first().click()
    })
  })
})
