import { beforeAll, beforeEach, expect, test } from 'vitest'
import { languageOf } from '#surfaces/public/texts/texts.ts'
import { axeViolations } from '#test/support/browser/axe.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const { texts } = languageOf('de-DE')

describeDashboard('what a chat page says besides answers', (open) => {
  let service: DashboardService
  let address: string
  let appId: string

  beforeAll(async () => {
    service = await open({ CHAT_AGENT_RATE_LIMIT: '3' })
    appId = String((await service.call('create_app', { name: 'Desk' })).id)
  })
  beforeEach(() => change({ paused: false, daily_messages: 1000, blocked_words: [] }))

  const change = async (settings: object) => {
    const page = { app_id: appId, enabled: true, ...settings }
    address = String((await service.call('update_chat_page', page)).url)
  }
  const opened = async (url = address) => {
    const page = await service.page({ locale: 'de-DE' })
    await page.goto(url)
    const message = page.getByLabel(texts.placeholder)
    return {
      page,
      message,
      async send(text: string) {
        await message.fill(text)
        await message.press('Enter')
      },
    }
  }

  test('that it is paused, as soon as an editor pauses it, to those who open it and who have it open', async () => {
    const { id, app_name_id } = await service.call('create_app', { name: 'Front desk' })
    const { url } = await service.call('update_chat_page', { app_id: id, enabled: true })
    const before = await opened(String(url))
    const editor = await service.visit(`/agents/${String(app_name_id)}/share/page`)
    // What is typed in the form is neither needed nor saved.
    await editor.getByLabel('Name in the address').fill('another-desk')
    await editor.getByText('Visitors can chat now.').waitFor()
    await editor.getByRole('button', { name: 'Pause the chat' }).click()
    const asked = editor.getByRole('dialog', { name: 'Pause the chat with visitors?' })
    await asked.getByText('Nothing is deleted.').waitFor()
    await expectSoundLooks(editor, 'dashboard-share-pause')
    await asked.getByRole('button', { name: 'Pause now' }).click()
    await editor.getByText('Paused. Visitors read').waitFor()
    await asked.waitFor({ state: 'detached' })
    // With the notification, whose button to close it must not be hidden from anyone.
    await editor.getByRole('button', { name: 'Close', exact: true }).waitFor()
    await expectSoundLooks(editor, 'dashboard-share-paused')

    const after = await opened(String(url))
    await after.page.getByText(texts.paused).waitFor()
    expect(await after.message.isDisabled()).toBe(true)
    await expectSoundLooks(after.page, 'chat-page-paused')
    await before.send('hello')
    await before.page.getByText(texts.paused).first().waitFor()
    expect(await service.call('get_chat_page', { app_id: id })).toMatchObject({ slug: '' })

    await editor.getByRole('button', { name: 'Resume' }).click()
    await editor.getByText('Visitors can chat now.').waitFor()
    await before.send('hello again')
    await before.page.getByRole('button', { name: texts.helpful, exact: true }).waitFor()
    await after.page.reload()
    await after.send('hello')
    await after.page.getByRole('button', { name: texts.helpful, exact: true }).waitFor()
    for (const { page } of [before, after]) await page.context().close()
    await editor.context().close()
  })

  test('to an editor that pausing has failed, in a notification that everyone can close', async () => {
    const editor = await service.visit(`/agents/${appId}/share/visitors`)
    await change({ paused: true })
    await editor.reload()
    await editor.route('**/operations/update_chat_page', (route) => route.abort())
    await editor.getByRole('button', { name: 'Resume' }).click()
    const close = editor.getByRole('button', { name: 'Close', exact: true })
    await close.waitFor()
    expect(await axeViolations(editor)).toEqual([])
    await close.click()
    await close.waitFor({ state: 'detached' })
    await editor.context().close()
  })

  test('that the messages of the day are used up, and that words are refused', async () => {
    await change({ daily_messages: 1, blocked_words: ['forbidden'] })
    const { page, send } = await opened()
    await send('a forbidden question')
    await page.locator('#messages').getByText(texts.refused).waitFor()
    const offered = (name: string) => page.getByRole('button', { name, exact: true }).count()
    await page.getByRole('button', { name: texts.again, exact: true }).waitFor()
    for (const name of [texts.copy, texts.helpful, texts.notHelpful])
      expect(await offered(name), name).toBe(0)
    // Refused messages do not count.
    await send('hello')
    await page.locator('.actions').nth(1).waitFor()
    await send('hello again')
    await page.locator('#messages').getByText(texts.budget).waitFor()
    await page.context().close()
  })

  test('that the agent has too many messages at the moment, and when to try again', async () => {
    const agent = await service.call('create_app', { name: 'Busy desk' })
    const { url } = await service.call('update_chat_page', { app_id: agent.id, enabled: true })
    // The limit is that of all visitors together.
    for (const _ of [1, 2, 3]) {
      const { page, send } = await opened(String(url))
      await send('hello')
      await page.locator('.actions').waitFor()
      await page.context().close()
    }
    const { page, send } = await opened(String(url))
    const answered = page.waitForResponse((response) => response.url().endsWith('/messages'))
    await send('hello')
    const seconds = (await (await answered).allHeaders())['retry-after'] ?? ''
    expect(Number(seconds)).toBeGreaterThan(0)
    const words = new Intl.RelativeTimeFormat('de').format(Number(seconds), 'second')
    await page.locator('#messages').getByText(texts.limited.replace('{when}', words)).waitFor()
    await page.context().close()
  })

  test('who is responsible for it, on pages that open in a window of their own', async () => {
    const links = {
      privacy_url: 'https://example.com/privacy',
      imprint_url: 'https://example.com/imprint',
    }
    await change({ ...links, disclaimer: 'May be wrong.' })
    const { page } = await opened()
    await page.getByText('May be wrong.').waitFor()
    for (const [name, url] of [
      [texts.privacy, links.privacy_url],
      [texts.imprint, links.imprint_url],
    ] as const) {
      const link = page.getByRole('link', { name })
      expect(await link.getAttribute('href')).toBe(url)
      expect(await link.getAttribute('target')).toBe('_blank')
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    }
    await page.context().close()
  })
})
