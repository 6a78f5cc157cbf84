import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { resetPassword } from '#features/identity/index.ts'
import { inviteMember } from '#features/members/index.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import {
  describeSignIn,
  unprove,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

describeSignIn('signing in with an OpenID provider', (open) => {
  let provider: OpenIdServer
  let service: SignInService

  beforeAll(async () => {
    provider = await startOpenIdServer()
    service = await open(settings())
  })
  beforeEach(() => {
    Object.assign(provider, { tamper: {}, hidesEmail: false, person: { sub: 'nobody' } })
  })
  afterAll(() => provider.stop())

  const settings = (more = {}) => ({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: openIdClient.id,
    OIDC_CLIENT_SECRET: openIdClient.secret,
    OIDC_NAME: 'Example ID',
    ...more,
  })

  /** Signs in at the provider and returns the address to which it redirects. */
  const visitProvider = async (browser: FormBrowser, returnTo = '/account') => {
    const address = await browser.open(`/login/oidc?return_to=${encodeURIComponent(returnTo)}`)
    if (address === null) throw new Error(`no way to the provider: ${browser.html}`)
    const back = await fetch(address, { redirect: 'manual' })
    const { pathname, search } = new URL(back.headers.get('location')!)
    return pathname + search
  }
  const signIn = async (from = service, returnTo?: string) => {
    const browser = from.browser()
    await browser.open(await visitProvider(browser, returnTo))
    return browser
  }

  test('is on the sign-in page under the name that the operator chose', async () => {
    const browser = service.browser()
    await browser.open('/login?return_to=/account')
    expect(browser.html).toContain('Continue with Example ID')
    expect(browser.html).toContain('href="/login/oidc?return_to=%2Faccount"')
  })

  test('requests with PKCE, state and nonce, and the base address as the redirect address', async () => {
    const browser = service.browser()
    const address = new URL((await browser.open('/login/oidc'))!)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'parley',
      response_type: 'code',
      redirect_uri: 'http://localhost:3000/login/oidc/callback',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(address.searchParams.get(name)).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test('an account with the same verified email is linked to the person, permanently', async () => {
    const bob = await service.account('bob')
    provider.person = { sub: 'bob-1', email: 'Bob@Example.com', email_verified: true }
    const first = await signIn()
    expect(first.url.pathname).toBe('/account')
    expect(first.html).toContain(bob.email)
    // From now on the subject identifies the person, even if the email changes.
    provider.person = { sub: 'bob-1', email: 'bob@new.example' }
    expect((await signIn()).html).toContain(bob.email)
  })

  test('a reassigned email does not open another person’s account until the operator transfers it', async () => {
    const heidi = await service.account('heidi')
    provider.person = { sub: 'heidi-1', email: heidi.email, email_verified: true }
    await signIn()
    provider.person = { sub: 'heidi-2', email: heidi.email, email_verified: true }
    const refused = await signIn()
    expect(refused.response.status).toBe(403)
    expect(refused.html).toContain('belongs to another person of your provider')
    expect(refused.cookies.has('__Secure-parley_session')).toBe(false)
    await resetPassword(service.ctx, { email: heidi.email, password: 'a new password' })
    expect((await signIn()).html).toContain(heidi.email)
    provider.person = { sub: 'heidi-1', email: heidi.email, email_verified: true }
    expect((await signIn()).response.status).toBe(403)
  })

  test('a person without a password is asked for none', async () => {
    const welcoming = await open(settings({ OIDC_SIGN_UP_DOMAINS: 'x.example' }))
    provider.person = { sub: 'grace-1', email: 'grace@x.example', email_verified: true }
    const { html } = await signIn(welcoming, '/account')
    expect(html).toContain('You have no password: you sign in with Example ID.')
    expect(html).not.toContain('Current password')
  })

  test('returns to the page that required sign-in, also to the consent page', async () => {
    await service.account('carol')
    provider.person = { sub: 'carol-1', email: 'carol@example.com', email_verified: true }
    expect((await signIn(service, '/signed-out')).url.pathname).toBe('/signed-out')
    expect((await signIn(service, 'https://evil.example/')).url.pathname).toBe('/home/start')
  })

  test('the email may come from the userinfo endpoint', async () => {
    const eve = await service.account('eve')
    provider.person = { sub: 'eve-1', email: 'eve@example.com', email_verified: true }
    provider.hidesEmail = true
    expect((await signIn()).html).toContain(eve.email)
  })

  test('a person without an account is refused, and none is created', async () => {
    provider.person = { sub: 'stranger', email: 'stranger@other.example', email_verified: true }
    const browser = await signIn()
    expect(browser.response.status).toBe(403)
    expect(browser.html).toContain('No account here')
    expect(await emails()).not.toContain('stranger@other.example')
  })

  test('if the operator lists the domain of the email, an account is created, once', async () => {
    const welcoming = await open(settings({ OIDC_SIGN_UP_DOMAINS: 'Other.example' }))
    provider.person = {
      sub: 'newcomer',
      email: 'newcomer@other.example',
      email_verified: true,
      name: 'New Comer',
    }
    const visits = await Promise.all([signIn(welcoming), signIn(welcoming), signIn(welcoming)])
    for (const browser of visits) expect(browser.html).toContain('New Comer')
    const rows = await welcoming.ctx.db.read.selectFrom('users').select('email').execute()
    expect(rows.filter(({ email }) => email === 'newcomer@other.example')).toHaveLength(1)
    provider.person = { sub: 'x', email: 'x@evil.other.example', email_verified: true }
    expect((await signIn(welcoming)).response.status).toBe(403)
  })

  test('account takeover: an email that the provider did not verify opens no account', async () => {
    await service.account('dave')
    for (const email_verified of [false, undefined, 'true' as unknown as boolean]) {
      provider.person = {
        sub: 'mallory',
        email: 'dave@example.com',
        email_verified: email_verified!,
      }
      const browser = await signIn()
      expect(browser.response.status).toBe(403)
      expect(browser.html).toContain('Email not confirmed')
    }
  })

  test('login CSRF: a response to another browser does not sign in', async () => {
    await service.account('frank')
    provider.person = { sub: 'frank-1', email: 'frank@example.com', email_verified: true }
    const attacker = service.browser()
    const stolen = await visitProvider(attacker)
    const victim = service.browser()
    await victim.open(stolen)
    expect(victim.response.status).toBe(410)
    await visitProvider(victim)
    await victim.open(stolen)
    expect(victim.response.status).toBe(503)
    expect(victim.cookies.has('__Secure-parley_session')).toBe(false)
  })

  test('login CSRF: a journey that another host of the domain has planted replaces no session', async () => {
    const mallory = await service.account('mallory')
    provider.person = { sub: 'mallory-1', email: mallory.email, email_verified: true }
    const attacker = service.browser()
    const response = await visitProvider(attacker)
    const victim = await service.signedIn()
    const planted = [...attacker.cookies].filter(([name]) => name.endsWith('openid'))
    for (const [name, value] of planted) victim.cookies.set(name, value)
    await victim.open(response)
    expect(victim.response.status).toBe(410)
    await victim.open('/account')
    expect(victim.html).toContain(service.ada.email)
    expect(victim.html).not.toContain(mallory.email)
  })

  test('replay: a response opens only one session', async () => {
    await service.account('grace')
    provider.person = { sub: 'grace-1', email: 'grace@example.com', email_verified: true }
    const browser = service.browser()
    const back = await visitProvider(browser)
    await browser.open(back)
    expect(browser.url.pathname).toBe('/account')
    await browser.open(back)
    expect(browser.response.status).toBe(410)
  })

  test('a person who takes longer than fifteen minutes is asked to sign in again', async () => {
    const late = await open(settings())
    provider.person = { sub: 'ada-2', email: late.ada.email, email_verified: true }
    const browser = late.browser()
    const back = await visitProvider(browser)
    late.advance(15 * 60_000)
    await browser.open(back)
    expect(browser.response.status).toBe(410)
    expect(browser.html).toContain('longer than fifteen minutes')
    expect(browser.cookies.has('__Secure-parley_session')).toBe(false)
  })

  test.each([
    ['another nonce', { nonce: 'another' }],
    ['another audience', { aud: 'another' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an end that has passed', { exp: 1 }],
  ])('an ID token with %s is refused', async (_, tamper) => {
    provider.person = { sub: 'ada-1', email: 'ada@example.com', email_verified: true }
    provider.tamper = tamper
    const browser = await signIn()
    expect(browser.response.status).toBe(503)
    expect(browser.html).toContain('Sign-in was not completed')
    expect(browser.cookies.has('__Secure-parley_session')).toBe(false)
  })

  test('a provider that is down is reported, and passwords still work', async () => {
    const orphaned = await open(settings({ OIDC_ISSUER: 'http://127.0.0.1:1' }))
    const browser = orphaned.browser()
    await browser.open('/login/oidc')
    expect(browser.response.status).toBe(503)
    expect((await orphaned.signedIn()).url.pathname).toBe('/home/start')
  })

  test('without a provider the page does not exist', async () => {
    const plain = await open()
    for (const path of ['/login/oidc', '/login/oidc/callback'])
      expect((await plain.app.request(path)).status).toBe(404)
  })

  async function emails() {
    const rows = await service.ctx.db.read.selectFrom('users').select('email').execute()
    return rows.map(({ email }) => email)
  }

  test('an invitation admits a person without an account, only to its workspace', async () => {
    provider.person = { sub: 'invited', email: 'invited@example.com', email_verified: true }
    const input = { role: 'viewer', email: 'invited@example.com' } as const
    const { link } = await inviteMember(service.ctx, service.ada, input)
    const browser = await signIn(service, new URL(link ?? '').pathname)
    expect(browser.url.pathname).toBe('/agents')
    const seats = await service.ctx.db.read
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(['workspace_id', 'role'])
      .where('users.email', '=', 'invited@example.com')
      .execute()
    expect(seats).toEqual([{ workspace_id: service.ada.workspaceId, role: 'viewer' }])
  })

  test('an invitation for another person admits only that person', async () => {
    provider.person = { sub: 'uninvited', email: 'uninvited@example.com', email_verified: true }
    const input = { role: 'viewer', email: 'another@example.com' } as const
    const { link } = await inviteMember(service.ctx, service.ada, input)
    const browser = await signIn(service, new URL(link ?? '').pathname)
    expect(browser.response.status).toBe(403)
  })

  test('an account with an unproven email ends when the owner of the email signs in', async () => {
    const account = await service.account('owner-of-mailbox')
    const { email, password } = account
    await unprove(service, account)
    const squatter = await service.signedIn(account)
    provider.person = { sub: 'owner', email, email_verified: true }
    const owner = await signIn(service, '/account')
    expect(owner.html).toContain(email)
    await squatter.open('/account')
    expect(squatter.url.pathname).toBe('/login')
    await squatter.submit('/login', { email, password })
    expect(squatter.response.status).toBe(422)
  })
})
