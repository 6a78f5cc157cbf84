import { SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import type { Frame, Page } from 'playwright-core'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { startHostSite, type HostSite } from '#test/support/browser/host-site.ts'

describeDashboard('the widget on a site with a strict policy', (open) => {
  let service: DashboardService
  let host: HostSite
  let key: string
  let appId: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Shop assistant', greeting: 'Hello!' })
    appId = String(agent.id)
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: appId, title: 'The shop', text })
    host = startHostSite(service.baseUrl)
    const page = { enabled: true, widget_origins: [host.origin], color: '#0b6e4f' }
    const { widget_key } = await service.call('update_chat_page', { app_id: appId, ...page })
    key = String(widget_key)
  })

  const visit = async (page: Page) => {
    await host.serve(
      page,
      `<script async src="${service.baseUrl}/chat-assets/widget.js" data-key="${key}"></script>`,
    )
    await page.goto(`${host.origin}/prices`)
  }
  const chat = async (page: Page): Promise<Frame> => {
    const frame = await (await page.waitForSelector('iframe', { state: 'attached' })).contentFrame()
    if (frame === null) throw new Error('the widget has no frame')
    return frame
  }
  const launcher = (page: Page) => page.getByRole('button', { name: /^Open the chat/ })

  const identify = (page: Page, jwt: string) =>
    page.evaluate(
      `new Promise((done, fail) => { parley('on', 'identified', done); parley('on', 'error', fail); parley('identify', '${jwt}') })`,
    )

  test('chats, and continues after a reload and in a second browser as the same person', async () => {
    const { secret } = await service.call('rotate_identity_secret', { app_id: appId })
    const jwt = await new SignJWT({ sub: 'customer-42', name: 'Grace' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(service.ctx.clock.now() / 1000) + 300)
      .sign(new TextEncoder().encode(String(secret)))
    const page = await service.page({ locale: 'en-GB' })
    const complaints: string[] = []
    page.on('console', (line) => complaints.push(line.text()))
    await visit(page)
    await launcher(page).click()
    const frame = await chat(page)
    await frame.getByLabel('Write a message').fill('When does the shop open?')
    await page.keyboard.press('Enter')
    await frame.getByRole('button', { name: 'Answer again' }).waitFor()
    await picture(page, 'widget-light-wide')

    await page.reload()
    const again = await chat(page)
    await again.getByRole('button', { name: 'Answer again' }).waitFor()
    await identify(page, jwt)
    await again.getByRole('button', { name: 'Helpful', exact: true }).click()
    await again.getByRole('button', { name: 'Helpful', pressed: true }).waitFor()

    const other = await service.page({
      locale: 'en-GB',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    })
    await visit(other)
    await launcher(other).waitFor()
    await picture(other, 'widget-closed-dark-narrow')
    await other.evaluate(`parley('ask', 'And when does it close?')`)
    const there = await chat(other)
    await there.getByRole('button', { name: 'Answer again' }).waitFor()
    await identify(other, jwt)
    await there.getByRole('button', { name: 'Conversations' }).click()
    await there.getByRole('dialog').getByText('And when does it close?').waitFor()
    await there.getByRole('dialog').getByText('When does the shop open?').click()
    await there.getByRole('button', { name: 'Helpful', pressed: true }).waitFor()
    await picture(other, 'widget-dark-narrow')
    // Signed out at the host: nothing of the person is left in this browser.
    await other.evaluate(`parley('identify', null)`)
    await there.getByRole('article').first().waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.context().close()
    await other.context().close()
  })
})
