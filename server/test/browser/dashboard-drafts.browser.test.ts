import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

const chatOf = (page: Page) => page.getByRole('region', { name: 'Test chat' })

describeDashboard('the draft of an agent', (open) => {
  let service: DashboardService

  beforeAll(async () => {
    service = await open()
  })

  test('a change answers in the test chat at once, and callers get it when it is published', async () => {
    const { id, app_name_id } = await service.call('create_app', {
      name: 'Drafted',
      greeting: 'Hi',
    })
    const draftOf = async () => (await service.call('get_app', { app_id: id })).draft
    const address = `/agents/${String(app_name_id)}/build`
    const page = await service.visit(address)
    await page.getByLabel('Greeting').fill('A warm welcome')
    await page.getByText('Draft saved. Callers do not get these changes yet.').waitFor()
    await chatOf(page).getByText('A warm welcome').waitFor()
    expect(await draftOf()).toMatchObject({ changes: { greeting: 'A warm welcome' } })
    expect(await service.call('get_app', { app_id: id })).toMatchObject({
      version: 1,
      greeting: 'Hi',
    })
    // The question does not wait until typing has paused.
    await page.getByLabel('Temperature', { exact: true }).fill('0.4')
    await chatOf(page).getByLabel('Message').fill('Hello')
    await page.keyboard.press('Enter')
    await chatOf(page)
      .getByText(/in total/)
      .waitFor()
    expect(await draftOf()).toMatchObject({ changes: { temperature: 0.4 } })
    await expectSound(service, 'build-publish', address, async (look) => {
      await look.getByRole('button', { name: 'Publish changes' }).click()
      await look.getByText('2 fields differ').waitFor()
    })
    await page.getByRole('button', { name: 'Publish changes' }).click()
    await page.getByRole('dialog').getByLabel('Version note').fill('Warmer')
    await page.keyboard.press('Enter')
    await page.getByText('Version 2 is live').waitFor()
    expect(await draftOf()).toBeUndefined()
    await page.getByLabel('Greeting').fill('Never mind')
    await page.getByText('Draft saved.').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Draft saved.').waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Greeting').inputValue()).toBe('A warm welcome')
    expect(await draftOf()).toBeUndefined()
  })

  test('of two editors of the same draft, both keep their changes unless they change the same field', async () => {
    const { id, app_name_id } = await service.call('create_app', { name: 'Shared' })
    const edit = (input: object) =>
      service.call('update_app', { app_id: id, publish: false, ...input })
    const saved = async () => (await service.call('get_app', { app_id: id })).draft
    const page = await service.visit(`/agents/${String(app_name_id)}/build`)
    await edit({ greeting: 'Theirs' })
    await page.getByLabel('Instructions', { exact: true }).fill('Mine.')
    await page.getByText('Draft saved.').waitFor()
    expect(await saved()).toMatchObject({ changes: { greeting: 'Theirs', system_prompt: 'Mine.' } })
    await edit({ system_prompt: 'Theirs.' })
    await page.getByLabel('Instructions', { exact: true }).fill('Mine again.')
    await page.getByText('Ada changed the draft while you were editing').waitFor()
    expect(await saved()).toMatchObject({ changes: { system_prompt: 'Theirs.' } })
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByText('Draft saved.').waitFor()
    expect(await saved()).toMatchObject({ changes: { system_prompt: 'Mine again.' } })
  })
})
