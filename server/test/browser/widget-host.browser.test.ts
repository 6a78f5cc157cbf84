import { beforeAll, expect, test } from 'vitest'
import { picture } from '#test/support/browser/browser-service.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

/** How far things on the page have moved since it was opened. */
const layoutShift = `new Promise((done) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => done(sum), 500)
})`
/** Every element in the flow of such a body moves the others. The policy allows no style in the markup. */
const spaceBetween = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('body { display: flex; flex-direction: column; justify-content: space-between; gap: 40px; min-height: 100vh; margin: 0 }')
  document.adoptedStyleSheets = [sheet]
}`

describeDashboard('the widget on its host', (open) => {
  let service: DashboardService
  let widget: HostedWidget

  beforeAll(async () => {
    service = await open()
    widget = await hostWidget(service)
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: widget.appId, title: 'The shop', text })
  })

  test('costs the page of the host two requests, and moves nothing on it', async () => {
    const page = await service.page({ locale: 'en-GB' })
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(service.baseUrl)) asked.push(new URL(request.url()).pathname)
    })
    await widget.visit(page)
    await widget.launcher(page).waitFor()
    expect(await page.evaluate(layoutShift)).toBe(0)
    expect(asked).toEqual([
      '/chat-assets/widget.js',
      expect.stringMatching(/^\/chat\/widget\/ppk_/),
    ])
    await page.context().close()
  })

  test('moves nothing on a page whose body distributes its space', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.addInitScript(spaceBetween)
    const held = Promise.withResolvers<void>()
    await page.route('**/chat/widget/ppk_*', async (route) => {
      await held.promise
      await route.continue()
    })
    await widget.visit(page, '/prices', '<footer>Delivery and returns</footer>')
    const footer = () => page.locator('footer').boundingBox()
    const before = await footer()
    const height = page.viewportSize()?.height ?? 0
    expect((before?.y ?? 0) + (before?.height ?? 0)).toBe(height)
    held.resolve()
    const launcher = widget.launcher(page)
    await launcher.waitFor()
    expect(await footer()).toEqual(before)
    expect(await launcher.boundingBox()).toMatchObject({ y: height - 76, width: 56, height: 56 })
    await launcher.click()
    const frame = page.locator('iframe')
    await frame.waitFor()
    expect(await frame.boundingBox()).toMatchObject({ width: 400, y: 20 })
    expect(await footer()).toEqual(before)
    expect(await page.evaluate(layoutShift)).toBe(0)
    await page.context().close()
  })

  test('is opened, used and closed with the keyboard, which ends at the button again', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await widget.visit(page)
    await widget.launcher(page).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const frame = await widget.chat(page)
    await frame.getByLabel('Write a message').waitFor()
    await expect.poll(() => frame.evaluate('document.activeElement.id')).toBe('message')
    await page.keyboard.type('When does the shop open?')
    await page.keyboard.press('Enter')
    await frame.getByRole('button', { name: 'Answer again' }).waitFor()
    await frame.getByRole('button', { name: 'Copy', exact: true }).click()
    await frame.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await frame.evaluate(`document.featurePolicy.allowsFeature('clipboard-write')`)).toBe(
      true,
    )
    await frame.getByLabel('Write a message').press('ControlOrMeta+v')
    expect(await frame.getByLabel('Write a message').inputValue()).toContain('opens at nine')
    // Nothing of it is a cookie, neither of the site nor of a third party.
    expect(await page.context().cookies()).toEqual([])
    await page.keyboard.press('Escape')
    await widget.launcher(page).waitFor()
    const focused = `document.activeElement.shadowRoot?.activeElement?.getAttribute('aria-label')`
    expect(await page.evaluate(focused)).toMatch(/^Open the chat/)
    await page.context().close()
  })

  test('sends what is written before the visit has begun, once it has', async () => {
    const page = await service.page({ locale: 'en-GB' })
    const held = Promise.withResolvers<void>()
    await page.route('**/chat/widget/*/visit', async (route) => {
      await held.promise
      await route.continue()
    })
    await widget.visit(page)
    await widget.launcher(page).click()
    const frame = await widget.chat(page)
    const message = frame.getByLabel('Write a message')
    await message.fill('When does the shop open?')
    await message.press('Enter')
    expect(await frame.locator('.question, .notice').count()).toBe(0)
    held.resolve()
    await frame.getByRole('button', { name: 'Answer again' }).waitFor()
    expect(await frame.locator('.question').count()).toBe(1)
    expect(await message.inputValue()).toBe('')
    await page.context().close()
  })

  test('says that the chat is paused, to visitors and on Share, where it is resumed', async () => {
    await widget.change({ paused: true })
    const page = await service.page({ locale: 'en-GB' })
    await widget.visit(page)
    await widget.launcher(page).click()
    const frame = await widget.chat(page)
    await frame.getByText('This chat is paused at the moment.').waitFor()
    await frame.getByRole('button', { name: 'New conversation' }).click()
    expect(await frame.getByText('This chat is paused at the moment.').isVisible()).toBe(true)
    expect(await frame.getByLabel('Write a message').isDisabled()).toBe(true)
    await page.context().close()
    const { app_name_id: name } = await service.call('get_app', { app_id: widget.appId })
    const path = `/agents/${String(name)}/share/widget`
    await expectSound(service, 'share-widget-paused', path, async (share) => {
      await share.getByText('Paused. Visitors read').waitFor()
    })
    const share = await service.visit(path)
    await share.getByRole('button', { name: 'Resume' }).click()
    await share.getByText('Paused. Visitors read').waitFor({ state: 'detached' })
    expect(await service.call('get_chat_page', { app_id: widget.appId })).toMatchObject({
      paused: false,
    })
    await share.context().close()
  })

  test('shows editors where it is embedded, and its tag to copy', async () => {
    const { app_name_id: name } = await service.call('get_app', { app_id: widget.appId })
    const path = `/agents/${String(name)}/share/widget`
    await expectSound(service, 'share-widget-sites', path, async (page) => {
      const row = page.getByRole('row').filter({ hasText: widget.host.origin })
      await row.waitFor()
      expect(await row.getByRole('cell').nth(1).textContent()).toMatch(/^[1-9]\d*$/)
    })
    const page = await service.visit(path, { permissions: ['clipboard-read', 'clipboard-write'] })
    const tag = page.getByRole('region', { name: /tag|snippet|script|widget/i }).first()
    await tag.waitFor()
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(widget.tag)
    await picture(page, 'share-widget-copied')
    await page.context().close()
  })
})
