import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/hosted-widget.ts'
import { startHostSite, type HostSite } from '#test/support/host-site.ts'

describeDashboard('the widget on a site that is not listed', (open) => {
  let service: DashboardService
  let widget: HostedWidget
  let stranger: HostSite
  let frame: string

  beforeAll(async () => {
    service = await open()
    widget = await hostWidget(service)
    stranger = startHostSite(service.baseUrl, 'https://stranger.example')
    const { widget_key: key } = await service.call('get_chat_page', { app_id: widget.appId })
    frame = `${service.baseUrl}/chat/widget/${String(key)}/frame`
  })

  const opened = async (site: HostSite, markup: string) => {
    const page = await service.page({ locale: 'en-GB' })
    const found = { errors: [] as string[], lines: [] as string[], messages: 0 }
    page.on('pageerror', (error) => found.errors.push(error.message))
    page.on('console', (line) => found.lines.push(line.text()))
    page.on('request', (request) => {
      if (/\/chat\/[^/]+\/messages$/.test(request.url())) found.messages += 1
    })
    await site.serve(page, markup)
    await page.goto(`${site.origin}/prices`)
    return { page, found }
  }
  const expectNothingAnswered = async () => {
    const { items } = await service.call('list_conversations', { app_id: widget.appId })
    expect(items).toEqual([])
  }
  /** The page of the host works as if there were no widget. */
  const expectSoundHost = async (page: Page) => {
    expect(await page.getByRole('heading', { name: 'Prices' }).isVisible()).toBe(true)
    expect(await page.locator('parley-widget').count()).toBe(0)
  }

  test('draws nothing, and breaks nothing on the page, whatever its scripts call', async () => {
    const { page, found } = await opened(stranger, widget.tag)
    await expect
      .poll(() => found.lines.join('\n'))
      .toContain('the widget is not shown: origin_refused')
    expect(
      await page.evaluate(`{
        const listener = () => undefined
        for (const command of [['open'], ['ask', 'Hello?'], ['identify', 'a.b.c'], ['on', 'ready', listener], ['close'], ['remove']])
          parley(...command)
        typeof parley
      }`),
    ).toBe('undefined')
    await expectSoundHost(page)
    expect(found.errors).toEqual([])
    expect(found.messages).toBe(0)
    await expectNothingAnswered()
    await page.context().close()
  })

  test('does not show the frame, and answers nothing that the site sends into it', async () => {
    const markup = `<iframe id="chat" src="${frame}"></iframe>`
    // The same markup on a site that is listed shows the chat.
    const allowed = await opened(widget.host, markup)
    const shown = allowed.page.frameLocator('#chat')
    await shown.getByText('Hello!').waitFor()
    await allowed.page.context().close()

    const { page, found } = await opened(stranger, markup)
    await expect.poll(() => found.lines.join('\n')).toContain('frame-ancestors')
    const inner = await (await page.waitForSelector('#chat')).contentFrame()
    expect(await inner?.content()).not.toContain('Hello!')
    expect(inner?.url()).not.toContain('/chat/widget/')
    await page.evaluate(`{
      const { contentWindow } = document.querySelector('#chat')
      contentWindow.postMessage({ parley: 'visit', token: 'x', ends_in: 60000, conversation: null }, '*')
      contentWindow.postMessage({ parley: 'ask', text: 'Hello?' }, '*')
    }`)
    await page.evaluate('new Promise((done) => setTimeout(done, 300))')
    await expectSoundHost(page)
    expect(found.errors).toEqual([])
    expect(found.messages).toBe(0)
    await expectNothingAnswered()
    await page.context().close()
  })
})
