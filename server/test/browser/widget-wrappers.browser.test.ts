import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { bundleDocumented } from '#test/support/browser/documented-component.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

describeDashboard('the component of the documentation', (open) => {
  let service: DashboardService
  let widget: HostedWidget

  beforeAll(async () => {
    service = await open()
    widget = await hostWidget(service)
  })

  test.each(['jsx', 'vue'] as const)(
    'in %s shows the widget while it is mounted, and leaves nothing behind',
    async (language) => {
      const code = await bundleDocumented(language)
      const page = await service.page({ locale: 'en-GB' })
      const complaints: string[] = []
      page.on('console', (line) => complaints.push(line.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      await widget.host.serve(page, '<div id="app"></div>', false)
      await page.goto(`${widget.host.origin}/`)
      await page.evaluate(`{${code}}`)
      const [, src = '', widgetKey = ''] = /src="([^"]+)" data-key="([^"]+)"/.exec(widget.tag) ?? []
      const mount = () => page.evaluate(`mount(${JSON.stringify({ src, widgetKey })})`)
      const unmount = () => page.evaluate('unmount()')
      const left = () =>
        page.evaluate(
          `({ head: document.head.innerHTML, widgets: document.querySelectorAll('parley-widget').length, parley: typeof window.parley, app: document.getElementById('app').textContent })`,
        )
      const before = await left()
      expect(before).toMatchObject({ widgets: 0, parley: 'undefined' })

      for (let time = 1; time <= 2; time += 1) {
        await mount()
        await widget.launcher(page).waitFor()
        expect(await page.locator('parley-widget').count()).toBe(1)
        await widget.launcher(page).click()
        const chat = await widget.chat(page)
        await chat.getByText('Hello!').waitFor()
        // An open widget would be open again on the next page of the tab.
        await page.evaluate("parley('close')")
        await unmount()
        await expect.poll(left).toEqual(before)
      }
      // Unmounted before the script has run: it draws nothing.
      await page.evaluate(
        `new Promise((done) => {
          new MutationObserver((_, observer) => {
            observer.disconnect()
            document.head.querySelector('script[data-key]').addEventListener('load', () => requestIdleCallback(done))
            unmount()
          }).observe(document.head, { childList: true })
          mount(${JSON.stringify({ src, widgetKey })})
        })`,
      )
      expect(await left()).toEqual(before)
      const own = complaints.filter((text) => !/React DevTools|development build of Vue/.test(text))
      expect(own).toEqual([])
      await page.context().close()
    },
  )
})
