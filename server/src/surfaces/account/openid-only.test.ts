import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureOwner, resetPassword } from '#features/identity/index.ts'
import { inviteMember } from '#features/members/index.ts'
import { hashToken } from '#kernel/tokens.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import {
  appOf,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'

describeSignIn('signing in with the OpenID provider alone', (open) => {
  let provider: OpenIdServer
  let service: SignInService

  beforeAll(async () => {
    provider = await startOpenIdServer()
    service = await open(settings())
  })
  afterAll(() => provider.stop())

  const settings = () => ({
    SIGN_IN: 'openid',
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'ignored password',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: openIdClient.id,
    OIDC_CLIENT_SECRET: openIdClient.secret,
    OIDC_NAME: 'Example ID',
  })
  const signIn = async (at: SignInService, browser = at.browser()) => {
    const address = await browser.open('/login/oidc?return_to=/account')
    const back = await fetch(address!, { redirect: 'manual' })
    const { pathname, search } = new URL(back.headers.get('location')!)
    await browser.open(pathname + search)
    return browser
  }
  /** The same database with passwords: how an operator gets in while the provider is down. */
  const withPasswords = async () => {
    const config = { ...service.ctx.config, signIn: 'any' as const }
    const other = { ...service, ctx: { ...service.ctx, config } }
    const app = appOf(other)
    const request = async (url: string, init: RequestInit) => await app.request(url, init)
    const browser = new FormBrowser(request, { origin: 'http://localhost:3000', headers: {} })
    await browser.open('/login')
    return browser
  }

  test('the sign-in page has no password form', async () => {
    const browser = service.browser()
    await browser.open('/login')
    expect(browser.html).toContain('Continue with Example ID')
    expect(browser.html).not.toMatch(/type="password"|<form/)
  })

  test('a password opens no session, even with a form of before', async () => {
    const { email, password } = service.ada
    const browser = await withPasswords()
    const fields = browser.formOf('/login')
    fields.set('email', email)
    fields.set('password', password)
    const response = await service.app.request('http://localhost:3000/login', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'http://localhost:3000',
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      body: fields,
    })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('only with its provider')
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('a session that began with a password no longer counts', async () => {
    const browser = await withPasswords()
    const { email, password } = service.ada
    await browser.submit('/login', { email, password })
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    expect(cookie).toContain('__Secure-parley_session=')
    const response = await service.app.request('http://localhost:3000/account', {
      headers: { cookie },
    })
    expect([response.status, response.headers.get('location')]).toMatchObject([
      303,
      expect.stringContaining('/login'),
    ])
  })

  test('the first owner is the person with OWNER_EMAIL at the provider; there is no set-up link', async () => {
    const fresh = await open(settings())
    await fresh.ctx.db.write(async (tx) => {
      for (const table of ['memberships', 'workspaces', 'users'] as const)
        await tx.deleteFrom(table).execute()
    })
    const ensured = await ensureOwner(fresh.ctx)
    expect(ensured).toMatchObject({ created: true, email: 'owner@example.com', setup: null })
    expect(await ensureOwner(fresh.ctx)).toBeNull()
    const row = await fresh.ctx.db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
    expect(row.password_hash).toBeNull()
    provider.person = { sub: 'owner-1', email: 'owner@example.com', email_verified: true }
    const browser = await signIn(fresh)
    expect(browser.html).toContain('owner@example.com')
    expect(browser.html).toContain('you sign in with Example ID')
    expect(browser.html).not.toContain('type="password"')
  })

  test('a set-up link sets no password', async () => {
    const { ctx, ada } = service
    const times = { created_at: ctx.clock.now(), expires_at: ctx.clock.now() + 60_000 }
    const row = { hash: hashToken('link'), user_id: ada.userId, used_at: null, ...times }
    await ctx.db.write((tx) => tx.insertInto('setup_links').values(row).execute())
    const browser = service.browser()
    await browser.open('/setup?token=link')
    expect(browser.response.status).toBe(403)
    expect(browser.html).not.toContain('type="password"')
  })

  test('an invitation is accepted with the provider, not with a password', async () => {
    const { link } = await inviteMember(service.ctx, service.ada, { role: 'viewer' })
    const browser = service.browser()
    await browser.open(new URL(link ?? '').pathname)
    expect(browser.html).toContain('Continue with Example ID')
    expect(browser.html).not.toContain('type="password"')
  })

  test('while the provider is down, an operator resets a password and starts with SIGN_IN=any', async () => {
    const carol = await service.account('carol')
    await resetPassword(service.ctx, { email: carol.email, password: 'a new pass phrase' })
    const browser = await withPasswords()
    await browser.submit('/login', { email: carol.email, password: 'a new pass phrase' })
    await browser.open('/account')
    expect(browser.html).toContain(carol.email)
  })
})
