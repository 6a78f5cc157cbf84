import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { json, startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import { loopback } from '#test/support/chat/agent-with-actions.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { startRemoteMcpServer } from '#test/support/servers/remote-mcp-server.ts'

const main = (page: Page) => page.getByRole('main')
const chatOf = (page: Page) => page.getByRole('region', { name: 'Test chat' })

/** What is not in the test chat, which viewers may use. */
const besideChat = (page: Page) => page.locator(':not(section[aria-label="Test chat"] *)')

describeDashboard('the actions of an agent', (open) => {
  let service: DashboardService
  let api: ActionServer
  let path: string
  let appId: string

  beforeAll(async () => {
    api = await startActionServer(json({ order: { number: 42, state: 'On its way' } }))
    // It looks up the order and repeats the response.
    const models = await startModelServer({
      script: ({ body }) => {
        // OpenAI's request body; a request for the list of models has none.
        const messages = (body.messages ?? []) as { role: string; content: unknown }[]
        if (JSON.stringify(messages).includes('On its way'))
          return { reply: 'Order 42 is **on its way**.' }
        if (messages.at(-1)?.role === 'tool') return { reply: '' }
        return { reply: '', toolCalls: [{ name: 'get_order', arguments: { number: '42' } }] }
      },
    })
    service = await open({ ...loopback, OPENAI_BASE_URL: models.baseUrl, OPENAI_API_KEY: 'sk-x' })
    const agent = await service.call('create_app', { name: 'Tea shop', model: 'openai/gpt-5.2' })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}/build`
  })

  test('an action is created, tested, and called by the agent after the user confirms', async () => {
    const page = await service.visit(`${path}/actions`)
    await main(page).getByRole('link', { name: 'New action' }).click()
    await main(page).getByLabel('Name', { exact: true }).first().fill('get_order')
    await main(page).getByLabel('Title').fill('Look up an order')
    await main(page).getByLabel('When to call it').fill('Looks up an order by its number.')
    await main(page).getByLabel('URL').fill(`${api.origin}/orders/{number}`)
    await main(page).getByRole('button', { name: 'Add parameter' }).click()
    const parameter = main(page).getByRole('group', { name: 'Parameter 1' })
    expect(await parameter.getByLabel('Name').inputValue()).toBe('number')
    await parameter.getByLabel('Instructions for the model').fill('As on the invoice')
    await main(page)
      .getByRole('switch', { name: /Ask the user for confirmation/ })
      .click()
    await main(page).getByRole('button', { name: 'Create action' }).click()

    const test = page.getByRole('form', { name: 'Test' })
    await test.getByLabel('number').fill('42')
    await test.getByRole('button', { name: 'Run test' }).click()
    await test.getByText('HTTP 200').waitFor()
    await test.getByText(`GET ${api.origin}/orders/42`).waitFor()
    await test.getByText('On its way').waitFor()

    const chat = chatOf(page)
    await chat.getByLabel('Message').fill('Where is order 42?')
    await chat.getByLabel('Message').press('Enter')
    await chat.getByRole('button', { name: 'Yes, do it' }).waitFor()
    // The arguments are a table: a row for each.
    const asked = chat.getByRole('table', { name: 'Look up an order' })
    await asked.getByRole('columnheader', { name: 'Argument' }).waitFor()
    await asked.getByRole('rowheader', { name: 'number' }).waitFor()
    await asked.getByRole('cell', { name: '42' }).waitFor()
    // On a phone the chat is below the settings.
    await page.getByRole('navigation', { name: 'Build sections' }).getByText('Settings').click()
    await main(page).getByRole('heading', { level: 1, name: 'Build' }).waitFor()
    await asked.waitFor()
    await expectSoundLooks(page, 'dashboard-build-ask-first')
    expect(api.requests).toHaveLength(1)
    const [asking, answer] = [chat.getByRole('article').first(), chat.getByRole('article').nth(1)]
    await asking.getByText('Needs confirmation').waitFor()
    // The card and the call say it; the text does not say it again.
    expect(await asking.textContent()).not.toContain('To go ahead')
    await chat.getByRole('button', { name: 'Yes, do it' }).click()
    await chat.getByText('on its way', { exact: true }).waitFor()
    expect(api.requests.map((one) => one.path)).toEqual(['/orders/42', '/orders/42'])
    // The call and its outcome are shown where the agent asked for confirmation.
    await asking.getByText(/^Done · HTTP 200 · \d/).click()
    await asking.getByRole('region', { name: 'Response' }).getByText('On its way').waitFor()
    expect(await asking.getByText('Needs confirmation').count()).toBe(0)
    expect(await answer.getByRole('list', { name: 'Tool calls' }).count()).toBe(0)
  })

  test('a header with a credential is encrypted and never shown again', async () => {
    const page = await service.visit(`${path}/actions/new`)
    await main(page).getByLabel('Name', { exact: true }).fill('secret_call')
    await main(page).getByLabel('When to call it').fill('Never')
    await main(page).getByLabel('URL').fill(`${api.origin}/secret`)
    await main(page).getByRole('button', { name: 'Add header' }).click()
    await main(page).getByLabel('Header 1', { exact: true }).fill('Authorization')
    await main(page).getByLabel('Value of header 1').fill('Bearer very-secret')
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(
      'very-secret',
    )
    await main(page).getByRole('button', { name: 'Create action' }).click()
    await page.getByRole('form', { name: 'Test' }).waitFor()
    expect(await main(page).getByLabel('Value of header 1').inputValue()).toMatch(/\{\{var\./)
    expect(await page.content()).not.toContain('very-secret')
  })

  test('actions are imported from a document: previewed, selected, then created', async () => {
    const page = await service.visit(`${path}/actions/import?from=openapi`)
    const operation = (method: string, id: string) => ({
      [method]: { operationId: id, summary: id, responses: {} },
    })
    const document = {
      openapi: '3.0.0',
      info: { title: 'Teas', version: '1' },
      servers: [{ url: api.origin }],
      paths: { '/teas': operation('get', 'listTeas'), '/pots': operation('post', 'addPot') },
    }
    await main(page).getByLabel('OpenAPI 3 document (JSON or YAML)').fill(JSON.stringify(document))
    await main(page).getByRole('button', { name: 'Preview' }).click()
    await main(page).getByText('2 actions found').waitFor()
    const box = (name: RegExp) => main(page).getByRole('checkbox', { name })
    expect(await box(/^Ask the user first.*listTeas/).isChecked()).toBe(false)
    expect(await box(/^Ask the user first.*addPot/).isChecked()).toBe(true)
    await box(/^Ask the user first.*listTeas/).click()
    await box(/^addPot/).click()
    await main(page).getByRole('button', { name: 'Create 1 action' }).click()
    await main(page).getByText('1 action was created').waitFor()
    // The action is stored as it was set in the preview.
    const { items } = await service.call('list_custom_actions', { app_id: appId })
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'listTeas', requires_confirmation: true }),
    )
    await main(page).getByRole('link', { name: 'All actions' }).last().click()
    const list = main(page).getByRole('list', { name: 'Actions of the agent' })
    await list.getByText('listTeas').first().waitFor()
    expect(await list.getByText('addPot').count()).toBe(0)
  })

  test('a deleted action is back after Undo, and gone without it', async () => {
    const curl = `curl '${api.origin}/spare'`
    await service.call('import_custom_actions', { app_id: appId, curl, dry_run: false })
    const page = await service.visit(`${path}/actions`)
    const list = main(page).getByRole('list', { name: 'Actions of the agent' })
    const row = list.getByRole('listitem').filter({ hasText: '/spare' })
    const remove = row.getByRole('button')
    await remove.click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()
    await remove.click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('navigation', { name: 'Build sections' }).getByText('Variables').click()
    await expect
      .poll(
        async () => JSON.stringify(await service.call('list_custom_actions', { app_id: appId })),
        { timeout: 15_000 },
      )
      .not.toContain('/spare')
  })

  test('a secret variable is set, never shown again, and must be entered again to change its hosts', async () => {
    const page = await service.visit(`${path}/variables?edit=new`)
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('shop_token')
    await form.getByLabel('Value').fill('very-secret')
    await form.getByRole('checkbox', { name: 'Any host' }).check()
    await form.getByText('Every editor can send this secret to any host').waitFor()
    await form.getByRole('checkbox', { name: 'Any host' }).uncheck()
    await form.getByLabel('Allowed hosts').fill('shop.example.com')
    await form.getByRole('button', { name: 'Save' }).click()
    await main(page).getByText('Only to shop.example.com').waitFor()
    await main(page).getByRole('button', { name: 'Change SHOP_TOKEN' }).click()
    await form.getByLabel('Allowed hosts').fill('api.example.com')
    await form.getByText('To change the hosts, enter the value again.').waitFor()
    await form.getByLabel('Value').fill('very-secret')
    await form.getByRole('button', { name: 'Save' }).click()
    await main(page).getByText('Only to api.example.com').waitFor()
    await main(page).getByRole('button', { name: 'Change SHOP_TOKEN' }).click()
    await form.getByRole('checkbox', { name: 'Any host' }).check()
    await form.getByRole('button', { name: 'Save' }).click()
    await main(page).getByText('Sent to any host').waitFor()
    expect(await page.content()).not.toContain('very-secret')
  })

  test('a variable that is created again while its delete is pending stays', async () => {
    const of = { app_id: appId, name: 'GREETING', type: 'string' }
    await service.call('set_app_variable', { ...of, value: 'Hello' })
    const page = await service.visit(`${path}/variables`)
    await main(page).getByRole('button', { name: 'Delete GREETING' }).click()
    await main(page).getByRole('button', { name: 'Change GREETING' }).waitFor({ state: 'detached' })
    await main(page).getByRole('button', { name: 'New variable' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('GREETING')
    await form.getByLabel('Value').fill('Good day')
    await form.getByLabel('Allowed hosts').fill('api.example.com')
    await form.getByRole('button', { name: 'Save' }).click()
    await main(page).getByText('GREETING').waitFor()
    await page.reload()
    await main(page).getByRole('button', { name: 'Change GREETING' }).waitFor()
  })

  test('an MCP server is added with its tools, and removed', async () => {
    const remote = await startRemoteMcpServer('modern')
    const page = await service.visit(`${path}/servers?add=true`)
    const form = page.getByRole('dialog')
    await form.getByLabel('Short name').fill('tracker')
    await form.getByLabel('URL').fill(remote.url)
    await form.getByLabel('Token').fill('very-secret')
    await form.getByRole('button', { name: 'Add server' }).click()
    await main(page).getByText('Adds two numbers').waitFor()
    expect(remote.authorizations).toContain('Bearer very-secret')
    expect(await page.content()).not.toContain('very-secret')
    await main(page).getByRole('button', { name: 'Remove tracker' }).click()
    await main(page).getByText('No MCP servers yet').waitFor()
  })

  test('its pages are sound in both themes, wide and at 360 px', async () => {
    const { items } = (await service.call('list_custom_actions', { app_id: appId })) as {
      items: { id: string; name: string }[]
    }
    const order = items.find(({ name }) => name === 'get_order')?.id ?? ''
    await expectSound(service, 'build-actions', `${path}/actions`, (page) =>
      main(page).getByText('Look up an order').first().waitFor(),
    )
    await expectSound(service, 'build-action', `${path}/actions/${order}`, async (page) => {
      await page.getByRole('form', { name: 'Test' }).getByLabel('number').fill('42')
      await page.getByRole('button', { name: 'Run test' }).click()
      await page.getByText('On its way').waitFor()
    })
    await expectSound(service, 'build-action-new', `${path}/actions/new`)
    await expectSound(service, 'build-import', `${path}/actions/import`, async (page) => {
      await page
        .getByRole('textbox', { name: 'curl command' })
        .fill(`curl '${api.origin}/teas/{{kind}}'`)
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByRole('button', { name: 'Create 1 action' }).waitFor()
    })
    await expectSound(service, 'build-variables', `${path}/variables`, (page) =>
      main(page).getByText('SHOP_TOKEN').waitFor(),
    )
    await expectSound(service, 'build-variable-form', `${path}/variables?edit=SHOP_TOKEN`, (page) =>
      page.getByRole('dialog').waitFor(),
    )
    await expectSound(service, 'build-servers', `${path}/servers`)
    await expectSound(service, 'build-server-form', `${path}/servers?add=true`, (page) =>
      page.getByRole('dialog').waitFor(),
    )
  })

  test('a viewer sees what an action does and no way to change it', async () => {
    const vera = await service.account('Vera', 'viewer')
    for (const part of ['', '/actions', '/actions/new', '/variables', '/servers', '/versions']) {
      const page = await service.visit(`${path}${part}?workspace=${service.ada.workspaceId}`, {
        as: vera,
      })
      await expect.poll(() => page.locator('.animate-pulse').count(), { timeout: 10_000 }).toBe(0)
      expect(await main(page).getByRole('textbox').and(besideChat(page)).count()).toBe(0)
      const names = await main(page).getByRole('button').and(besideChat(page)).allTextContents()
      expect({ part, names: names.filter((name) => name !== '') }).toEqual({ part, names: [] })
      expect(await main(page).getByRole('link', { name: 'New action' }).count()).toBe(0)
      await page.context().close()
    }
    const page = await service.visit(`${path}/actions?workspace=${service.ada.workspaceId}`, {
      as: vera,
    })
    await main(page).getByRole('link', { name: 'Look up an order' }).click()
    await main(page).getByText('Looks up an order by its number.').waitFor()
    expect(await main(page).getByRole('textbox').and(besideChat(page)).count()).toBe(0)
  })
})
