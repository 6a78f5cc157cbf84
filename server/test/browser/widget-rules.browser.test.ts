import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

const never = { open_after_seconds: null, open_at_scroll: null, open_on_paths: [] }
const long = Array.from({ length: 200 }, (_, n) => `<p>Paragraph ${n}</p>`).join('')

describeDashboard('the widget', (open) => {
  let service: DashboardService
  let widget: HostedWidget

  beforeAll(async () => {
    service = await open()
    widget = await hostWidget(service)
  })
  beforeEach(() => widget.change(never))

  /** A page with a clock of its own, on which the button is drawn. */
  const visit = async (path: string, viewport = { width: 1280, height: 800 }) => {
    const page = await service.page({ locale: 'en-GB', viewport })
    await page.clock.install()
    await widget.visit(page, path, long)
    await ready(page)
    return page
  }
  const ready = async (page: Page) => {
    await widget.launcher(page).waitFor()
    // The rules begin in a later idle moment.
    await page.evaluate(
      'new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))',
    )
  }
  const pass = (page: Page, seconds: number) => page.clock.fastForward(seconds * 1000)
  const go = (page: Page, path: string) => page.evaluate(`history.pushState(null, '', '${path}')`)
  const scrollTo = (page: Page, part: number) =>
    page.evaluate(
      `new Promise((done) => { addEventListener('scroll', () => done(), { once: true }); scrollTo(0, document.documentElement.scrollHeight * ${part}) })`,
    )
  const isOpen = async (page: Page) => (await page.locator('iframe:visible').count()) > 0
  const opened = (page: Page) => page.locator('iframe').waitFor({ state: 'visible' })

  test('opens after the time that its rule says, and leaves the focus where it is', async () => {
    await widget.change({ open_after_seconds: 30 })
    const page = await visit('/prices')
    await pass(page, 28)
    expect(await isOpen(page)).toBe(false)
    await pass(page, 2)
    await opened(page)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    await page.context().close()
  })

  test('opens on the pages that its rule names, also when a script changes the address', async () => {
    await widget.change({ open_after_seconds: 30, open_on_paths: ['/prices', '/shop/*'] })
    const page = await visit('/about')
    await pass(page, 60)
    expect(await isOpen(page)).toBe(false)
    await go(page, '/shop/shoes')
    await pass(page, 20)
    // Each page has a time of its own.
    await go(page, '/prices')
    await pass(page, 20)
    expect(await isOpen(page)).toBe(false)
    await go(page, '/about')
    await pass(page, 60)
    expect(await isOpen(page)).toBe(false)
    await go(page, '/shop/hats')
    await pass(page, 31)
    await opened(page)
    await page.context().close()
  })

  test('opens when as much of the page has been read as its rule says', async () => {
    await widget.change({ open_at_scroll: 60, open_on_paths: ['/prices'] })
    const page = await visit('/about')
    await scrollTo(page, 0.9)
    expect(await isOpen(page)).toBe(false)
    await go(page, '/prices')
    await scrollTo(page, 0.1)
    expect(await isOpen(page)).toBe(false)
    await scrollTo(page, 0.7)
    await opened(page)
    await page.context().close()
  })

  test('stays closed once the visitor has closed it, on this page and on the next ones', async () => {
    await widget.change({ open_after_seconds: 5, open_at_scroll: 20 })
    const page = await visit('/prices')
    await pass(page, 6)
    await opened(page)
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.locator('iframe').waitFor({ state: 'hidden' })
    const tempt = async () => {
      await pass(page, 60)
      await scrollTo(page, 0.8)
      await go(page, `/shop/${Date.now()}`)
      await pass(page, 60)
      expect(await isOpen(page)).toBe(false)
    }
    await tempt()
    await page.goto(`${widget.host.origin}/other`)
    await ready(page)
    await tempt()
    await page.context().close()
  })

  test('stays closed when the visitor has opened and closed it before the rule', async () => {
    await widget.change({ open_after_seconds: 30 })
    const page = await visit('/prices')
    await widget.launcher(page).click()
    await opened(page)
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.locator('iframe').waitFor({ state: 'hidden' })
    await pass(page, 60)
    expect(await isOpen(page)).toBe(false)
    await page.context().close()
  })

  test('never opens on a rule in a window that it would cover', async () => {
    await widget.change({ open_after_seconds: 5, open_at_scroll: 10 })
    const page = await visit('/prices', { width: 390, height: 844 })
    await pass(page, 60)
    await scrollTo(page, 0.8)
    expect(await isOpen(page)).toBe(false)
    await page.context().close()
  })

  test('opens for a command that comes before it has loaded', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.addInitScript(
      "window.parley = function () { (window.parley.q = window.parley.q || []).push(arguments) }; parley('open')",
    )
    await widget.visit(page)
    await opened(page)
    await page.context().close()
  })

  test('touches neither the network nor a storage before the page of the host has loaded', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.addInitScript(
      `window.early = []
      const note = (of, name) => { const own = of[name]; of[name] = function (...given) {
        if (document.readyState !== 'complete') early.push(name)
        return own.apply(this, given) } }
      note(window, 'fetch'); note(Storage.prototype, 'getItem'); note(Element.prototype, 'attachShadow')`,
    )
    await widget.visit(page)
    await widget.launcher(page).waitFor()
    expect(await page.evaluate('early')).toEqual([])
    await page.context().close()
  })
})
