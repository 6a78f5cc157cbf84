import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { startActionServer } from '#test/support/servers/action-server.ts'
import { loopback } from '#test/support/chat/agent-with-actions.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'

const main = (page: Page) => page.getByRole('main')
const chatOf = (page: Page) => page.getByRole('region', { name: 'Test chat' })
const searchOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

async function say(page: Page, words: string): Promise<void> {
  await chatOf(page).getByLabel('Message').fill(words)
  await chatOf(page).getByLabel('Message').press('Enter')
}

describeDashboard('the URL contains what the dashboard shows', (open) => {
  let service: DashboardService
  let agentId: string
  let agent: string

  beforeAll(async () => {
    const models = await startModelServer({
      script: ({ body }) =>
        JSON.stringify(body).includes('Look it up')
          ? { reply: '', toolCalls: [{ name: 'look_up', arguments: {} }] }
          : { reply: 'Good day to you.' },
    })
    service = await open({ ...loopback, OPENAI_BASE_URL: models.baseUrl, OPENAI_API_KEY: 'sk-x' })
    const made = await service.call('create_app', { name: 'Clinic', model: 'openai/gpt-5.2' })
    agentId = String(made.id)
    agent = `/agents/${String(made.app_name_id)}`
  })

  test('the agent by its name, also if a link has its UUID', async () => {
    const page = await service.visit(`/agents/${agentId}/build/actions#top`)
    await page.waitForURL((url) => url.pathname === `${agent}/build/actions`)
    expect(new URL(page.url()).hash).toBe('#top')
    const inSidebar = page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Clinic' })
    await expect.poll(() => inSidebar.getAttribute('aria-current')).toBe('page')
    const tab = main(page).getByRole('link', { name: 'Actions', exact: true })
    expect(await tab.getAttribute('aria-current')).toBe('page')
    // Back leads to where the person was before, not to the link once more.
    await page.goBack()
    expect(new URL(page.url()).pathname).not.toContain('/agents/')
  })

  test('the form of a cap', async () => {
    const page = await service.visit('/settings/billing?kind=grant')
    await main(page).getByRole('button', { name: 'Set cap' }).click()
    await page.getByRole('dialog').waitFor()
    expect([searchOf(page, 'limit'), searchOf(page, 'kind')]).toEqual(['true', 'grant'])
    await page.reload()
    await page.getByRole('dialog').getByLabel('Credits').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(searchOf(page, 'kind')).toBe('grant')
  })

  test('the language of the examples, which stays when a key is created', async () => {
    const page = await service.visit(`${agent}/share?language=curl`)
    await main(page).getByRole('button', { name: 'Python' }).click()
    await expect.poll(() => searchOf(page, 'language')).toBe('python')
    await page.reload()
    await main(page).getByRole('region', { name: 'Example for Python' }).waitFor()
    await main(page).getByRole('button', { name: 'Create chat key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Notebook')
    await page.getByRole('dialog').getByRole('button', { name: 'Create chat key' }).click()
    await page.getByRole('dialog').getByRole('region', { name: 'Example for Python' }).waitFor()
  })

  describe('the conversation of the test chat,', () => {
    test('which is there after a reload and on every Build page, and can be continued', async () => {
      const page = await service.visit(`${agent}/build`)
      await say(page, 'Hello there')
      await chatOf(page).getByText('Good day to you.').waitFor()
      await expect.poll(() => searchOf(page, 'chat')).toMatch(/^[\da-f-]{36}$/)
      const first = searchOf(page, 'chat')
      await page.getByRole('link', { name: 'Variables' }).click()
      await main(page).getByRole('button', { name: 'New variable' }).first().waitFor()
      expect(searchOf(page, 'chat')).toBe(first)
      await page.reload()
      const turns = chatOf(page).getByRole('article')
      await turns.getByText('Hello there').waitFor()
      await turns.getByText(/in total/).waitFor()
      await say(page, 'And again')
      await expect.poll(() => turns.count()).toBe(2)
      await turns.nth(1).getByText('Good day to you.').waitFor()
      expect(searchOf(page, 'chat')).toBe(first)
      await chatOf(page).getByRole('button', { name: 'New conversation' }).click()
      await expect.poll(() => turns.count()).toBe(0)
      expect(searchOf(page, 'chat')).toBeNull()
      await say(page, 'Somebody else')
      await expect.poll(() => searchOf(page, 'chat')).not.toBeNull()
      expect(searchOf(page, 'chat')).not.toBe(first)
      await turns.getByText('Good day to you.').waitFor()
      expect(await turns.count()).toBe(1)
    })

    test('an unknown conversation is reported, and the next message starts a new one', async () => {
      const gone = '00000000-0000-7000-8000-000000000000'
      const page = await service.visit(`${agent}/build?chat=${gone}`)
      await chatOf(page).getByText('That conversation no longer exists.').waitFor()
      await say(page, 'Hello')
      await chatOf(page).getByText('Good day to you.').waitFor()
      await expect.poll(() => searchOf(page, 'chat')).not.toBe(gone)
      await chatOf(page).getByText('That conversation').waitFor({ state: 'detached' })
      await chatOf(page).getByText('Good day to you.').waitFor()
    })

    test('a call that was running when the answer was stopped is not shown as running', async () => {
      const api = await startActionServer(() => undefined)
      await createAction(service.ctx, service.ada.workspaceId, agentId, {
        name: 'look_up',
        description: 'Looks something up',
        method: 'GET',
        url: `${api.origin}/slow`,
      })
      const page = await service.visit(`${agent}/build`)
      await say(page, 'Look it up')
      const calls = chatOf(page).getByRole('list', { name: 'Tool calls' })
      await calls.getByText('Running').waitFor()
      await chatOf(page).getByRole('button', { name: 'Stop' }).click()
      await calls.getByText('Stopped').waitFor()
      expect(await calls.getByText('Running').count()).toBe(0)
      const said = `${agent}/analytics/conversations/${searchOf(page, 'chat')}`
      await page.goto(`${service.baseUrl}${said}`)
      await main(page).getByText('The client disconnected').waitFor()
      expect(await calls.getByText('Running').count()).toBe(0)
    })
  })

  test('the subject of a cap is found beyond the first page of agents', async () => {
    const made = await service.account('Many')
    for (let n = 0; n < 104; n += 1) await service.call('create_app', { name: `Agent ${n}` }, made)
    const page = await service.visit('/settings/billing?limit=true', { as: made })
    const form = page.getByRole('dialog')
    await form.getByRole('combobox', { name: 'Applies to' }).click()
    await page.getByRole('option', { name: 'One agent' }).click()
    await form.getByRole('combobox', { name: 'Agent' }).click()
    const oldest = page.getByRole('option', { name: 'Agent 0', exact: true })
    await page.getByRole('option', { name: 'Agent 103' }).waitFor()
    expect(await oldest.count()).toBe(0)
    await page.keyboard.press('End')
    await oldest.click()
    await page.reload()
    await form.getByRole('combobox', { name: 'Agent' }).getByText('Agent 0').waitFor()
    await form.getByLabel('Credits').fill('9')
    await form.getByRole('button', { name: 'Set cap' }).click()
    await main(page).getByRole('list', { name: 'Credit caps' }).getByText('Agent 0').waitFor()
  })
})
