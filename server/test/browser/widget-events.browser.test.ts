import { SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

/** Every event of docs/widget.md. */
const events = ['ready', 'open', 'close', 'message', 'answer', 'rated', 'identified', 'error']

describeDashboard('the events of the widget', (open) => {
  let service: DashboardService
  let widget: HostedWidget

  beforeAll(async () => {
    service = await open()
    widget = await hostWidget(service)
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: widget.appId, title: 'The shop', text })
  })

  /** What the host's listeners have been called with since it was asked for before. */
  const heard = (page: Page) => page.evaluate('heard.splice(0)')
  const hears = (page: Page, ...wanted: readonly (readonly unknown[])[]) =>
    expect
      .poll(() => page.evaluate('heard.length'))
      .toBeGreaterThanOrEqual(wanted.length)
      .then(async () => expect(await heard(page)).toEqual(wanted))
  const identify = (page: Page, token: string) => page.evaluate(`parley('identify', '${token}')`)

  test('reach a host that listens before the script has loaded, with what the documentation names', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.addInitScript(`
      window.heard = []
      window.parley = function () { (window.parley.q = window.parley.q ?? []).push(arguments) }
      for (const name of ${JSON.stringify(events)})
        parley('on', name, (...given) => heard.push([name, ...given.filter((one) => one !== undefined)]))`)
    await widget.visit(page)
    await widget.launcher(page).waitFor()
    await hears(page, ['ready'])
    // Those that come later hear of it, too.
    expect(
      await page.evaluate(`new Promise((done) => parley('on', 'ready', () => done('ready')))`),
    ).toBe('ready')

    await widget.launcher(page).click()
    await hears(page, ['open'])
    const chat = await widget.chat(page)
    await chat.getByLabel('Write a message').fill('When does the shop open?')
    await chat.getByLabel('Write a message').press('Enter')
    await hears(page, ['message'], ['answer'])
    const helpful = chat.getByRole('button', { name: 'Helpful', exact: true })
    await helpful.click()
    await hears(page, ['rated', 'up'])
    await helpful.click()
    await hears(page, ['rated', null])
    await chat.getByRole('button', { name: 'Not helpful' }).click()
    await hears(page, ['rated', 'down'])

    await page.evaluate(`parley('close')`)
    await hears(page, ['close'])
    await page.evaluate(`parley('ask', 'And when does it close?')`)
    await hears(page, ['open'], ['message'], ['answer'])
    await page.context().close()
  })

  test('say that a person is identified, and why one is not', async () => {
    const { secret } = await service.call('rotate_identity_secret', { app_id: widget.appId })
    const sign = (ends: number) =>
      new SignJWT({ sub: 'customer-42' })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(Math.floor(service.ctx.clock.now() / 1000) + ends)
        .sign(new TextEncoder().encode(String(secret)))
    const page = await service.page({ locale: 'en-GB' })
    await widget.visit(page)
    await widget.launcher(page).click()
    await page.evaluate(`window.heard = []
      for (const name of ['identified', 'error'])
        parley('on', name, (...given) => heard.push([name, ...given.filter((one) => one !== undefined)]))`)
    await (await widget.chat(page)).getByLabel('Write a message').waitFor()
    await identify(page, await sign(300))
    await hears(page, ['identified'])
    await identify(page, await sign(-300))
    await hears(page, ['error', 'identity_expired'])
    await identify(page, 'no.token.atall')
    await hears(page, ['error', 'identity_refused'])
    await page.context().close()
  })
})
