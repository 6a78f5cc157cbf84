import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { hourMs } from '#kernel/durations.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

const guarded = '/account/second-factor/app'

describeSignIn('a person without a password confirms at the provider', (open) => {
  let provider: OpenIdServer
  let service: SignInService

  beforeAll(async () => {
    provider = await startOpenIdServer()
    service = await open({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: openIdClient.id,
      OIDC_CLIENT_SECRET: openIdClient.secret,
      OIDC_SIGN_UP_DOMAINS: 'example.org',
    })
  })
  beforeEach(() => {
    const email = 'grace@example.org'
    Object.assign(provider, { tamper: {}, person: { sub: 'grace', email, email_verified: true } })
  })
  afterAll(() => provider.stop())

  const signIn = async (browser: FormBrowser, query = '') => {
    const address = await browser.open(`/login/oidc?return_to=/account${query}`)
    const back = await fetch(address ?? '', { redirect: 'manual' })
    const { pathname, search } = new URL(back.headers.get('location') ?? '')
    await browser.open(pathname + search)
    return new URL(address ?? '')
  }
  const authenticatedAt = (time: number) =>
    Object.assign(provider, { tamper: { auth_time: Math.floor(time / 1000) } })

  test('a sign-in with an old session at the provider is no confirmation, a fresh one is', async () => {
    const browser = service.browser()
    authenticatedAt(service.ctx.clock.now() - hourMs)
    await signIn(browser)
    expect(browser.url.pathname).toBe('/account')
    await browser.open(guarded)
    expect(browser.url.pathname).toBe('/account/confirm')
    expect(browser.html).toMatch(/href="\/login\/oidc\?return_to=[^"]+again=true"/)
    authenticatedAt(service.ctx.clock.now())
    const asked = await signIn(browser, '&again=true')
    expect(asked.searchParams.get('prompt')).toBe('login')
    expect(asked.searchParams.get('max_age')).toBe('0')
    await browser.open(guarded)
    expect(browser.url.pathname).toBe(guarded)
  })

  test('a sign-in at a provider that does not say when it was counts', async () => {
    const browser = service.browser()
    const asked = await signIn(browser)
    expect(asked.searchParams.has('prompt')).toBe(false)
    await browser.open(guarded)
    expect(browser.url.pathname).toBe(guarded)
    service.advance(hourMs)
    await browser.open(guarded)
    expect(browser.url.pathname).toBe('/account/confirm')
  })

  test('cannot confirm with a made-up password', async () => {
    const browser = service.browser()
    await signIn(browser)
    service.advance(hourMs)
    await browser.open('/account')
    const fields = browser.formOf('/sign-out')
    fields.set('password', 'a guess')
    await browser.post('/account/confirm', fields)
    expect(browser.response.status).toBe(422)
  })
})
