import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepSessions } from '#features/identity/index.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import {
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const path = '/login/oidc/back-channel-logout'
const event = 'http://schemas.openid.net/event/backchannel-logout'
const anyRun = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
const now = () => Math.floor(Date.now() / 1000)

describeSignIn('OpenID Connect back-channel logout', (open) => {
  let provider: OpenIdServer
  let service: SignInService
  let bob: Account

  beforeAll(async () => {
    provider = await startOpenIdServer()
    service = await open({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: openIdClient.id,
      OIDC_CLIENT_SECRET: openIdClient.secret,
    })
    bob = await service.account('bob')
  })
  beforeEach(() => {
    provider.person = { sub: 'bob-1', email: bob.email, email_verified: true }
    provider.sid = undefined
  })
  afterAll(() => provider.stop())

  const signIn = async (sid?: string): Promise<FormBrowser> => {
    provider.sid = sid
    const browser = service.browser()
    const address = await browser.open('/login/oidc?return_to=/account')
    const back = await fetch(address!, { redirect: 'manual' })
    const { pathname, search } = new URL(back.headers.get('location')!)
    await browser.open(pathname + search)
    return browser
  }
  const isSignedIn = async (browser: FormBrowser) => {
    await browser.open('/account')
    return browser.url.pathname === '/account'
  }
  const send = async (logout_token: string) =>
    await service.post(path, new URLSearchParams({ logout_token }))

  test('a person ends: all their sessions with the provider, and no one else’s', async () => {
    const [first, second] = [await signIn('s1'), await signIn()]
    const byPassword = await service.signedIn(bob)
    const ada = await service.signedIn()
    const response = await send(provider.logoutToken({ sub: 'bob-1' }))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toBe('')
    for (const browser of [first, second]) expect(await isSignedIn(browser)).toBe(false)
    for (const browser of [byPassword, ada]) expect(await isSignedIn(browser)).toBe(true)
  })

  test('a session of the provider ends: only what began with it, and the audit log records it', async () => {
    const [meant, other] = [await signIn('s2'), await signIn('s3')]
    expect((await send(provider.logoutToken({ sid: 's2' }))).status).toBe(200)
    expect([await isSignedIn(meant), await isSignedIn(other)]).toEqual([false, true])
    const [event] = await service.ctx.db.read
      .selectFrom('audit_events')
      .select(['user_id', 'target'])
      .where('action', '=', 'openid_logout')
      .orderBy('id', 'desc')
      .execute()
    expect(event).toEqual({ user_id: bob.userId, target: bob.userId })
  })

  test('with both, only this person’s session of that name ends', async () => {
    const [mine, other] = [await signIn('shared'), await signIn('s5')]
    provider.person = { sub: 'ada-1', email: service.ada.email, email_verified: true }
    const ada = await signIn('shared')
    expect((await send(provider.logoutToken({ sub: 'bob-1', sid: 'shared' }))).status).toBe(200)
    const signedIn = [await isSignedIn(mine), await isSignedIn(other), await isSignedIn(ada)]
    expect(signedIn).toEqual([false, true, true])
  })

  test('a person or a session that is unknown here has none to end: 200', async () => {
    const browser = await signIn('s6')
    for (const claims of [{ sub: 'stranger' }, { sid: 'unknown' }, { sid: '\u0000' }])
      expect((await send(provider.logoutToken(claims))).status).toBe(200)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('replay: a token ends sessions once, even if it arrives twice at the same time', async () => {
    const token = provider.logoutToken({ sub: 'bob-1' })
    const answers = await Promise.all([send(token), send(token), send(token)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    const browser = await signIn()
    expect((await send(token)).status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
  })

  describe('an invalid token ends nothing and gets 400', () => {
    const unsigned = (claims: object, header: object) =>
      [header, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
    const whole = () => ({
      iss: provider.issuer,
      aud: openIdClient.id,
      iat: now(),
      exp: now() + 60,
      jti: 'x',
      sub: 'bob-1',
      events: { [event]: {} },
    })

    test.each<[string, () => string]>([
      ['no signature', () => `${unsigned(whole(), { alg: 'none' })}.`],
      ['a signature by nobody', () => `${unsigned(whole(), { alg: 'RS256', kid: 'key-1' })}.AAAA`],
      ['a shared secret', () => `${unsigned(whole(), { alg: 'HS256' })}.AAAA`],
      ['another key', () => provider.logoutToken({ sub: 'bob-1' }, { kid: 'key-2' })],
      ['another type', () => provider.logoutToken({ sub: 'bob-1' }, { typ: 'at+jwt' })],
      ['another issuer', () => provider.logoutToken({ sub: 'bob-1', iss: 'https://evil.example' })],
      ['another audience', () => provider.logoutToken({ sub: 'bob-1', aud: 'another' })],
      ['no person and no session', () => provider.logoutToken({})],
      ['a person that is no text', () => provider.logoutToken({ sub: { $ne: '' } })],
      ['a nonce', () => provider.logoutToken({ sub: 'bob-1', nonce: 'n' })],
      ['an empty nonce', () => provider.logoutToken({ sub: 'bob-1', nonce: null })],
      ['no events', () => provider.logoutToken({ sub: 'bob-1', events: undefined })],
      ['another event', () => provider.logoutToken({ sub: 'bob-1', events: { other: {} } })],
      [
        'an event of another type',
        () => provider.logoutToken({ sub: 'bob-1', events: { [event]: 1 } }),
      ],
      ['no id', () => provider.logoutToken({ sub: 'bob-1', jti: undefined })],
      ['no time of issue', () => provider.logoutToken({ sub: 'bob-1', iat: undefined })],
      ['no end', () => provider.logoutToken({ sub: 'bob-1', exp: undefined })],
      ['an end that has passed', () => provider.logoutToken({ sub: 'bob-1', exp: now() - 90 })],
      [
        'a time of issue in the future',
        () => provider.logoutToken({ sub: 'bob-1', iat: now() + 90 }),
      ],
      [
        'a time of issue long ago',
        () => provider.logoutToken({ sub: 'bob-1', iat: now() - 700, exp: now() + 600 }),
      ],
      ['no form of a token', () => 'x'],
      [
        'a token that is too long',
        () => provider.logoutToken({ sub: 'bob-1', x: 'x'.repeat(20_000) }),
      ],
    ])('%s', async (_, token) => {
      const browser = await signIn()
      const response = await send(token())
      expect(response.status).toBe(400)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
      expect(await isSignedIn(browser)).toBe(true)
    })

    test('an ID token', async () => {
      const browser = await signIn()
      const claims = { sub: 'bob-1', nonce: 'n', events: undefined, jti: undefined }
      expect((await send(provider.logoutToken(claims, { typ: 'JWT' }))).status).toBe(400)
      expect(await isSignedIn(browser)).toBe(true)
    })
  })

  test('a request without exactly one token, or not as a form, gets 400', async () => {
    const token = provider.logoutToken({ sub: 'bob-1' })
    const twice = new URLSearchParams([
      ['logout_token', token],
      ['logout_token', token],
    ])
    for (const body of [new URLSearchParams(), twice, { logout_token: token }])
      expect((await service.post(path, body)).status).toBe(400)
    expect((await service.app.request(`http://localhost:3000${path}`)).status).toBe(405)
  })

  test('the ids of used tokens are deleted after the tokens have expired', async () => {
    await send(provider.logoutToken({ sub: 'bob-1' }))
    const count = async () =>
      (await service.ctx.db.read.selectFrom('openid_logouts').select('hash').execute()).length
    await sweepSessions.run(service.ctx, {}, anyRun)
    expect(await count()).toBeGreaterThan(0)
    const late = { ...service.ctx, clock: { now: () => Date.now() + 20 * 60_000 } }
    await sweepSessions.run(late, {}, anyRun)
    expect(await count()).toBe(0)
  })

  test('without a provider the address does not exist', async () => {
    const plain = await open()
    expect((await plain.post(path, new URLSearchParams({ logout_token: 'x' }))).status).toBe(404)
  })
})
