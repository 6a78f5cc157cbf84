import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'
import { startHostSite, type HostSite } from '#test/support/browser/host-site.ts'

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

  test('is shown on localhost to editors with their pass, and to nobody else', async () => {
    const { appId: app_id } = widget
    const local = startHostSite(service.baseUrl, 'http://localhost:3999')
    const nobody = await opened(local, widget.tag)
    await expect
      .poll(() => nobody.found.lines.join('\n'))
      .toContain('the widget is not shown: origin_refused')
    await expectSoundHost(nobody.page)
    await nobody.page.context().close()

    const { app_name_id: name } = await service.call('get_app', { app_id })
    const share = await service.visit(`/agents/${String(name)}/share/widget`)
    await share.getByRole('button', { name: 'Create a pass' }).click()
    const tag = await share.getByRole('region', { name: 'Tag with your pass' }).textContent()
    await share.context().close()
    expect(tag).toContain('data-editor="')
    const editor = await opened(local, tag ?? '')
    await widget.launcher(editor.page).click()
    const chat = await widget.chat(editor.page)
    await chat.getByLabel('Write a message').fill('Is this my site?')
    await chat.getByLabel('Write a message').press('Enter')
    await chat.getByRole('button', { name: 'Answer again' }).waitFor()
    expect(editor.found.errors).toEqual([])
    await editor.page.context().close()
    const { items } = await service.call('list_conversations', { app_id })
    expect(items).toHaveLength(1)

    // The pass is for the own computer: it opens no other site that copies the tag.
    const copied = await opened(stranger, tag ?? '')
    await expect
      .poll(() => copied.found.lines.join('\n'))
      .toContain('the widget is not shown: origin_refused')
    await expectSoundHost(copied.page)
    await copied.page.context().close()
  })
})
