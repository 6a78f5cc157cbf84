import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

describeDashboard('the widget on a site whose policy names scripts by a nonce', (open) => {
  let service: DashboardService
  let widget: HostedWidget

  beforeAll(async () => {
    service = await open()
    widget = await hostWidget(service)
  })

  test.each([`'nonce-r4nd0m'`, `'nonce-r4nd0m' 'strict-dynamic'`])(
    'works with the nonce on its tag, and not without: %s',
    async (scripts) => {
      for (const nonce of ['r4nd0m', '']) {
        const page = await service.page({ locale: 'en-GB' })
        const complaints: string[] = []
        page.on('console', (line) => complaints.push(line.text()))
        const { origin } = widget.host
        const policy = [
          `default-src 'none'`,
          `script-src ${scripts}`,
          `connect-src ${service.baseUrl}`,
          `frame-src ${service.baseUrl}`,
          `require-trusted-types-for 'script'`,
        ].join('; ')
        const tag = widget.tag.replace('<script', `<script nonce="${nonce}"`)
        const body = `<!doctype html><title>Shop</title><h1>Prices</h1>${tag}`
        const headers = { 'content-type': 'text/html', 'content-security-policy': policy }
        await page.route(`${origin}/**`, (route) => route.fulfill({ headers, body }))
        await page.goto(`${origin}/prices`)
        if (nonce === '') await expect.poll(() => complaints.join()).toContain('script-src')
        else {
          await widget.launcher(page).click()
          await (await widget.chat(page)).getByText('Hello!').waitFor()
          expect(complaints).toEqual([])
        }
        expect(await page.locator('parley-widget').count()).toBe(nonce === '' ? 0 : 1)
        await page.context().close()
      }
    },
  )
})
