import { beforeAll, beforeEach, expect, test } from 'vitest'
import { languageOf } from '#surfaces/public/texts/texts.ts'
import { describeDashboard, type DashboardService } from '#test/support/dashboard.ts'

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

  test('that it is paused, to those who open it and to those who have it open', async () => {
    const before = await opened()
    await change({ paused: true })
    const after = await opened()
    await after.page.getByText(texts.paused).waitFor()
    expect(await after.message.isDisabled()).toBe(true)
    await before.send('hello')
    await before.page.getByText(texts.paused).first().waitFor()
    await before.page.context().close()
    await after.page.context().close()
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
