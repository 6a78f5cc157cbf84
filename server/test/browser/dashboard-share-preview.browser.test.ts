import { beforeAll, expect, test } from 'vitest'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

describeDashboard('the preview of a chat page for members', (open) => {
  let service: DashboardService
  let share: string
  let appId: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Staff desk', greeting: 'Hello staff!' })
    appId = String(agent.id)
    const page = { app_id: appId, enabled: true, access: 'members' }
    await service.call('update_chat_page', page)
    share = `/agents/${String(agent.app_name_id)}/share`
  })

  test('is the page that a member sees, and answers', async () => {
    await expectSound(service, 'share-preview-members', `${share}/page`, async (page) => {
      await page.getByRole('button', { name: 'Preview' }).click()
      const shown = page.frameLocator('iframe')
      await shown.getByText('Hello staff!').waitFor()
      await shown.getByLabel('Write a message').fill('hello')
      await page.keyboard.press('Enter')
      await shown.getByRole('button', { name: 'Answer again' }).waitFor()
    })
    const { items } = await service.call('list_conversations', { app_id: appId })
    expect(items).toMatchObject([{ end_user: `person:${service.ada.userId}` }])
  })

  test('begins again after the device has slept, with the conversation and what was typed', async () => {
    const page = await service.visit(`${share}/page`)
    await page.clock.install()
    await page.reload()
    await page.getByRole('button', { name: 'Preview' }).click()
    const shown = page.frameLocator('iframe')
    const message = shown.getByLabel('Write a message')
    await message.fill('A question before')
    await message.press('Enter')
    await shown.getByRole('button', { name: 'Answer again' }).waitFor()
    await message.fill('And then')
    const [, before] = page.frames()
    await before?.evaluate(`document.body.setAttribute('data-before', '')`)
    await shown.locator('body[data-before]').waitFor()
    service.advance(20 * 60_000)
    await page.clock.fastForward('20:00')
    await shown.locator('body:not([data-before])').waitFor()
    await expect
      .poll(() => shown.locator('.question').allTextContents())
      .toEqual(['You: A question before'])
    await expect.poll(() => message.inputValue()).toBe('And then')
    await message.press('Enter')
    await expect.poll(() => shown.locator('.question').count()).toBe(2)
    await expect.poll(() => shown.locator('.answer .actions').count()).toBe(2)
    await page.context().close()
  })

  test('shows a look that is not saved yet', async () => {
    const page = await service.visit(`${share}/look`)
    const shown = page.frameLocator('iframe')
    await shown.getByText('Hello staff!').waitFor()
    await page.getByLabel('Greeting').fill('Welcome back!')
    await shown.getByText('Welcome back!').waitFor()
    await page.context().close()
  })
})
