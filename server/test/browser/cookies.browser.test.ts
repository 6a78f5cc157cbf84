import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

const channel = 'http.server.request.start'

describeDashboard('the cookies of a person who is signed in', (open) => {
  let service: DashboardService
  let address: string
  let received: { readonly path: string; readonly cookie: string }[] = []

  /** What the server gets, whatever the browser reports. */
  const listen = (message: unknown) => {
    const { request } = message as { request: IncomingMessage } // See the documentation of Node.
    received.push({ path: request.url ?? '', cookie: request.headers.cookie ?? '' })
  }

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Shop', greeting: 'Hello!' })
    const { url } = await service.call('update_chat_page', { app_id: agent.id, enabled: true })
    address = String(url)
    subscribe(channel, listen)
  })
  afterAll(() => unsubscribe(channel, listen))

  const sentTo = (start: string) => {
    const requests = received.filter(({ path }) => path.startsWith(start))
    expect(requests).not.toEqual([])
    return requests.map(({ cookie }) => cookie)
  }
  const kept = async (page: Page) => {
    const cookies = await page.context().cookies()
    return cookies.filter(({ name }) => name.endsWith('parley_session')).map(({ path }) => path)
  }

  test('are not sent to a chat page at the same address, and keep the person signed in until the sign-out', async () => {
    const as = await service.account('Tess')
    const page = await service.visit('/agents', { as })
    // As the version before stored it.
    await page.evaluate("document.cookie = 'parley_theme=dark; path=/; max-age=1000'")
    await page.reload()
    await page.locator('html[data-theme=dark]').waitFor()
    received = []
    await page.goto(address)
    await page.getByText('Hello!').waitFor()
    await page.reload()
    await page.getByText('Hello!').waitFor()
    for (const cookie of sentTo('/chat')) expect(cookie).toMatch(/^(?:parley_visitor=[^;]*)?$/)

    await page.goto(`${service.baseUrl}/agents`)
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    expect(sentTo('/agents').join()).toMatch(/parley_session=.*parley_theme=dark/)
    received = []
    await page.goto(`${service.baseUrl}/`)
    await page.waitForURL((url) => ['/home', '/agents'].includes(url.pathname))
    await page.locator('h1').waitFor()
    expect(received[0]).toEqual({ path: '/', cookie: '' })
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')

    expect(await kept(page)).not.toEqual([])
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.pathname === '/signed-out')
    expect(await kept(page)).toEqual([])
    for (const path of ['/', '/home', '/agents', '/settings/members', '/account']) {
      await page.goto(`${service.baseUrl}${path}`)
      expect(new URL(page.url()).pathname).toBe('/login')
    }
    await page.context().close()
  })

  test('that the browser has dropped at one path are set again', async () => {
    const as = await service.account('Vera')
    const page = await service.visit('/agents', { as })
    const before = await kept(page)
    await page.context().clearCookies({ name: /parley_session$/, path: '/settings' })
    expect(await kept(page)).toHaveLength(before.length - 1)
    await page.goto(`${service.baseUrl}/settings/members`)
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    expect((await kept(page)).toSorted()).toEqual(before.toSorted())
    await page.context().close()
  })
})
