import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { freePort } from '#test/support/free-port.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

describeDashboard('a model provider of a workspace', (open) => {
  let service: DashboardService
  let models: ModelServer

  beforeAll(async () => {
    models = await startModelServer({ models: ['tea-1', 'tea-2'], reply: 'Tea costs two euros.' })
    service = await open({ OUTBOUND_ALLOW_PRIVATE: new URL(models.origin).hostname })
  })
  afterAll(() => models.stop())

  const main = (page: Page) => page.getByRole('main')
  const form = (page: Page) => page.getByRole('dialog')
  const save = (page: Page) => form(page).getByRole('button', { name: 'Save', exact: true })
  const anyway = (page: Page) => form(page).getByRole('button', { name: 'Save anyway' })

  async function fill(page: Page, name: string, address: string): Promise<void> {
    await form(page).getByLabel('Short name').fill(name)
    await form(page).getByLabel('Base URL').fill(address)
    await form(page).getByLabel('API key').fill('sk-secret')
  }

  const listed = async () => JSON.stringify(await service.call('list_providers'))
  const asked = () => models.requests.filter(({ path }) => path === '/v1/models').length

  test('is connected after a test that works, and then answers a chat', async () => {
    const page = await service.visit('/settings/providers?edit=new')
    await fill(page, 'teas', models.baseUrl)
    await form(page).getByRole('button', { name: 'Test connection' }).click()
    await form(page).getByText('Connection successful').waitFor()
    await form(page).getByText('The provider lists 2 models.').waitFor()
    await expectSoundLooks(page, 'dashboard-provider-tested')
    expect(await listed()).not.toContain('teas')
    const before = asked()
    await save(page).click()
    await main(page).getByText('Key stored').waitFor()
    // It was not tested again: nothing had changed.
    expect(asked()).toBe(before)
    await page.reload()
    await main(page).getByText('Key stored').waitFor()
    expect(await page.content()).not.toContain('sk-secret')

    const agent = await service.call('create_app', { name: 'Tea shop', model: 'teas/tea-1' })
    await page.goto(`${service.baseUrl}/agents/${String(agent.app_name_id)}/build`)
    const chat = page.getByRole('region', { name: 'Test chat' })
    await chat.getByLabel('Message').fill('What does tea cost?')
    await page.keyboard.press('Enter')
    await chat.getByText('Tea costs two euros.').waitFor()
    const last = models.requests.at(-1)
    expect(last?.headers.authorization).toBe('Bearer sk-secret')
    expect(last?.body.model).toBe('tea-1')
  })

  test('is tested when it is saved: a wrong address is not saved, and a corrected one is', async () => {
    const page = await service.visit('/settings/providers?edit=new')
    await fill(page, 'beans', `http://127.0.0.1:${await freePort()}/v1`)
    await save(page).click()
    await form(page).getByText('Connection refused').waitFor()
    await form(page).getByText('Nothing is saved yet.').waitFor()
    await anyway(page).waitFor()
    await expectSoundLooks(page, 'dashboard-provider-refused')
    expect(await listed()).not.toContain('beans')
    const before = asked()
    await form(page).getByLabel('Base URL').fill(models.baseUrl)
    // The result was that of another address.
    await anyway(page).waitFor({ state: 'detached' })
    expect(await form(page).getByText('Connection refused').count()).toBe(0)
    await save(page).click()
    await main(page).getByText('beans/…').waitFor()
    expect(asked()).toBe(before + 1)
    expect(await listed()).toContain('beans')
  })

  test('is saved after a failed test only if the person says so', async () => {
    const strict = await open()
    const page = await strict.visit('/settings/providers?edit=new')
    await fill(page, 'later', 'http://nothing.invalid/v1')
    await form(page).getByRole('button', { name: 'Test connection' }).click()
    await form(page).getByText('Could not reach the provider').waitFor()
    await form(page).getByLabel('Base URL').fill(models.baseUrl)
    await save(page).click()
    await form(page).getByText('This port is not allowed').waitFor()
    expect(JSON.stringify(await strict.call('list_providers'))).not.toContain('later')
    await anyway(page).click()
    await main(page).getByText('later/…').waitFor()
    await main(page).getByText('Key stored').waitFor()
    expect(JSON.stringify(await strict.call('list_providers'))).toContain('later')
  })
})
