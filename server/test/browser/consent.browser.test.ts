import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { createAgent } from '#features/agents/index.ts'
import { listConnectedApps } from '#features/grants/index.ts'
import {
  describeBrowser,
  person,
  picture,
  signInAt,
  type BrowserService,
} from '#test/support/browser/browser-service.ts'
import { startCallbackServer } from '#test/support/servers/callback-server.ts'
import type { Pkce } from '#test/support/identity/oauth-flow.ts'
import { verifies } from '../conformance/verifies.ts'

const minute = 60_000

describeBrowser('sign-in and consent in a browser', (open) => {
  let service: BrowserService

  beforeAll(async () => {
    service = await open()
  })

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const atConsent = async (changes: Readonly<Record<string, string>> = {}, options = {}) => {
    const page = await service.page(options)
    const pkce = await service.beginAt(page, changes)
    await signInAt(page)
    await page.getByRole('heading', { name: 'Authorize' }).waitFor()
    return { page, pkce }
  }
  const scopeOf = async (code: string, pkce: Pkce, redirectUri = service.redirectUri) => {
    const response = await fetch(`${service.baseUrl}/mcp/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: 'svc_mcp_cli',
        code_verifier: pkce.verifier,
      }),
    })
    // The test checks the scope in the body.
    return ((await response.json()) as { scope?: string }).scope
  }

  test('Authorize: signing in and consenting redirects to the application with a code', async () => {
    const { page, pkce } = await atConsent()
    await button(page, 'Authorize').click()
    await page.getByText('Back in the application').waitFor()
    const answer = await service.application.next()
    expect(answer.get('state')).toBe('the state')
    expect(answer.get('iss')).toBe(service.baseUrl)
    expect(await scopeOf(answer.get('code')!, pkce)).toBe('*')
  })

  verifies(['auth.browser', 'auth.browser.log-in', 'auth.browser.consent'], async () => {
    const { page, pkce } = await atConsent()
    expect(new URL(page.url()).pathname).toBe('/mcp/oauth/consent')
    const asked = await page.getByRole('main').innerText()
    expect(asked).toContain('Command-line MCP client')
    expect(asked).toContain(person.email)
    const boxes = await page.getByRole('checkbox').all()
    expect(boxes).toHaveLength(10)
    for (const box of boxes) expect(await box.isChecked()).toBe(true)
    expect(await button(page, 'Deny').isVisible()).toBe(true)
    await button(page, 'Authorize').click()
    const answer = await service.application.next()
    expect(await scopeOf(answer.get('code')!, pkce)).toBe('*')
  })

  test('an agent is picked without scripts, and the grant is bound to it', async () => {
    const user = await service.ctx.db.read
      .selectFrom('users')
      .innerJoin('memberships', 'memberships.user_id', 'users.id')
      .select(['user_id', 'workspace_id'])
      .where('email', '=', person.email)
      .executeTakeFirstOrThrow()
    const author = { userId: user.user_id, workspaceId: user.workspace_id }
    const agent = await createAgent(service.ctx, author, { name: 'Front desk' })
    await createAgent(service.ctx, author, { name: 'Back office' })
    const { page, pkce } = await atConsent({}, { javaScriptEnabled: false })
    await page.getByText('Limit it to some workspaces or agents').click()
    await page.getByRole('checkbox', { name: 'Front desk' }).check()
    await picture(page, 'consent-reach')
    await button(page, 'Authorize').click()
    const answer = await service.application.next()
    expect(await scopeOf(answer.get('code') ?? '', pkce)).toBe('*')
    const [app] = (await listConnectedApps(service.ctx, user.user_id, { limit: 1 })).items
    expect(app?.reach).toEqual({ workspaces: [], agents: { [agent.id]: user.workspace_id } })
  })

  test('Deny: redirects with access_denied and grants nothing', async () => {
    const { page } = await atConsent()
    await button(page, 'Deny').click()
    await page.getByText('Back in the application').waitFor()
    const answer = await service.application.next()
    expect(answer.get('error')).toBe('access_denied')
    expect(answer.get('code')).toBeNull()
  })

  test('narrowing: a permission that is unchecked is not granted', async () => {
    const { page, pkce } = await atConsent({ scope: 'apps:read apps:write billing:read' })
    await page.getByLabel('View subscription and credits').uncheck()
    await button(page, 'Authorize').click()
    const answer = await service.application.next()
    expect(await scopeOf(answer.get('code')!, pkce)).toBe('apps:read apps:write')
  })

  test('read only: scopes that change data are not granted even if they are checked', async () => {
    const { page, pkce } = await atConsent({ scope: 'apps:read apps:write' })
    await page.getByLabel('Read only').check()
    await button(page, 'Authorize').click()
    const answer = await service.application.next()
    expect(await scopeOf(answer.get('code')!, pkce)).toBe('apps:read')
  })

  test('nothing checked: the page shows an error and waits', async () => {
    const { page } = await atConsent({ scope: 'apps:read' })
    await page.getByLabel('View agents').uncheck()
    await button(page, 'Authorize').click()
    expect(await page.getByRole('alert').textContent()).toContain('Check at least one permission')
    await button(page, 'Deny').click()
    expect((await service.application.next()).get('error')).toBe('access_denied')
  })

  test('wrong password: the page shows an error and keeps the e-mail, and the right password continues', async () => {
    const page = await service.page()
    await service.beginAt(page)
    await signInAt(page, 'not the password')
    expect(await page.getByRole('alert').textContent()).toContain('is wrong')
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(person.email)
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    await signInAt(page)
    await page.getByRole('heading', { name: 'Authorize' }).waitFor()
    await button(page, 'Deny').click()
    await service.application.next()
  })

  test('expiry after five minutes: a page that waited too long grants nothing', async () => {
    const { page } = await atConsent()
    service.advance(5 * minute)
    await button(page, 'Authorize').click()
    await page.getByRole('heading', { name: 'This request has expired' }).waitFor()
    expect(new URL(page.url()).origin).toBe(service.baseUrl)
  })

  test('back button: the page shows that the request was already answered', async () => {
    const { page } = await atConsent()
    await button(page, 'Authorize').click()
    await page.getByText('Back in the application').waitFor()
    await service.application.next()
    await page.goBack()
    await page.getByRole('heading', { name: 'This request has been answered' }).waitFor()
    expect(await button(page, 'Authorize').count()).toBe(0)
  })

  test('back button: from consent it leads to where the person was before, still signed in', async () => {
    const { page } = await atConsent()
    await page.goBack()
    await page.goForward()
    await page.getByRole('heading', { name: 'Authorize' }).waitFor()
    await button(page, 'Deny').click()
    await service.application.next()
  })

  test('another account: signs out and returns to the same request', async () => {
    const { page } = await atConsent()
    await button(page, 'Use another account').click()
    await signInAt(page)
    await button(page, 'Authorize').click()
    expect((await service.application.next()).get('code')).not.toBeNull()
  })

  test('works without JavaScript, from sign-in to the redirect', async () => {
    const { page } = await atConsent({}, { javaScriptEnabled: false })
    await button(page, 'Authorize').click()
    expect((await service.application.next()).get('code')).not.toBeNull()
  })

  test('works with the keyboard only', async () => {
    const page = await service.page()
    await service.beginAt(page)
    const { keyboard } = page
    await tabTo(page, 'email')
    await keyboard.type(person.email)
    await keyboard.press('Tab')
    await keyboard.type(person.password)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Authorize' }).waitFor()
    await tabTo(page, 'scope')
    await keyboard.press('Space')
    expect(await page.getByLabel('View agents').isChecked()).toBe(false)
    await tabTo(page, 'decision')
    await keyboard.press('Enter')
    expect((await service.application.next()).get('code')).not.toBeNull()
  })

  test('our content security policy does not block the redirect to an IPv6 loopback address', async (context) => {
    const application = await startCallbackServer('::1').catch(() => null)
    // Some sandboxes have no IPv6 at all.
    if (application === null) return context.skip('this machine has no IPv6 loopback')
    const redirectUri = `http://[::1]:${application.port}/callback`
    const { page, pkce } = await atConsent({ redirect_uri: redirectUri })
    await button(page, 'Authorize').click()
    const answer = await application.next()
    expect(await scopeOf(answer.get('code')!, pkce, redirectUri)).toBe('*')
    await application.stop()
  })

  test('clickjacking: another site cannot show the pages in a frame', async () => {
    const evil = await startSite(`<iframe src="${service.baseUrl}/login"></iframe>`)
    const page = await service.page()
    await page.goto(evil.address)
    await expect.poll(() => page.frames().length).toBe(2)
    const frame = page.frames()[1]!
    await frame.waitForLoadState()
    expect(await frame.content()).not.toContain('Password')
    await evil.stop()
  })

  test('login CSRF: the browser’s headers reveal a form on another site, which is refused', async () => {
    const { email, password } = person
    const evil = await startSite(`<form method="post" action="${service.baseUrl}/login">
      <input name="email" value="${email}"><input name="password" value="${password}">
      <button>Win a prize</button></form>`)
    const page = await service.page()
    await page.goto(`${service.baseUrl}/login`)
    await page.goto(evil.address)
    await button(page, 'Win a prize').click()
    await page.getByRole('heading', { name: 'Not from here' }).waitFor()
    await page.goto(`${service.baseUrl}/account`)
    expect(new URL(page.url()).pathname).toBe('/login')
    await evil.stop()
  })

  /** Presses Tab until a field of that name has the focus. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let count = 0; count < 40; count += 1) {
      await page.keyboard.press('Tab')
      const focused = await page.evaluate('document.activeElement?.getAttribute("name")')
      if (focused === name) return
    }
    throw new Error(`the keyboard does not reach ${name}`)
  }

  /** Another site: browsers treat 127.0.0.1 and localhost as different sites. */
  async function startSite(body: string) {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${body}`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // A TCP socket.
    return {
      address: `http://127.0.0.1:${port}/`,
      async stop() {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }
})
