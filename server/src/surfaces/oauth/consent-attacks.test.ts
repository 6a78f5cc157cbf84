import { beforeAll, expect, test } from 'vitest'
import { registerClient } from '#features/grants/index.ts'
import { minuteMs } from '#kernel/durations.ts'
import {
  beginConsent as begin,
  describeSignIn,
  obtainCode,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const consent = '/mcp/oauth/consent'

describeSignIn('attacks on consent', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  test('consent CSRF: another site’s form is refused, by Sec-Fetch-Site or by Origin', async () => {
    const browser = await begin(await service.signedIn())
    const fields = browser.formOf(consent)
    fields.set('decision', 'authorize')
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect(await browser.post(consent, fields, headers)).toBeNull()
      expect(browser.response.status).toBe(403)
    }
  })

  test('consent CSRF: without the form’s token, or with another’s, nothing is decided', async () => {
    const browser = await begin(await service.signedIn())
    const fields = browser.formOf(consent)
    fields.set('decision', 'authorize')
    const whole = fields.get('form_token')!
    for (const token of ['', 'x', `${whole}x`, 'A'.repeat(whole.length)]) {
      fields.set('form_token', token)
      expect(await browser.post(consent, fields)).toBeNull()
      expect(browser.response.status).toBe(403)
    }
    const other = await begin(await service.signedIn())
    fields.set('form_token', other.formOf(consent).get('form_token')!)
    expect(await browser.post(consent, fields)).toBeNull()
    fields.set('form_token', whole)
    expect(await browser.post(consent, fields)).toContain('code=')
  })

  test('another request’s token: a form is valid for one request only', async () => {
    const browser = await begin(await service.signedIn())
    const first = browser.formOf(consent)
    await begin(browser)
    const second = browser.formOf(consent)
    second.set('form_token', first.get('form_token')!)
    second.set('decision', 'authorize')
    expect(await browser.post(consent, second)).toBeNull()
    expect(browser.response.status).toBe(403)
  })

  test('another user’s session: a form fetched before another person signs in is stale', async () => {
    const eve = await service.account('mallory')
    const browser = await begin(await service.signedIn())
    const fields = browser.formOf(consent)
    fields.set('decision', 'authorize')
    await browser.submit('/sign-out')
    const { email, password } = eve
    await browser.submit('/login', { email, password })
    expect(browser.html).toContain(eve.email)
    expect(await browser.post(consent, fields)).toBeNull()
    expect(browser.response.status).toBe(403)
  })

  test('another browser: a request’s link opens nothing where it did not begin', async () => {
    const mine = await begin(service.browser())
    const link = decodeURIComponent(mine.url.searchParams.get('return_to')!)
    const victim = await service.signedIn()
    await victim.open(link)
    expect(victim.response.status).toBe(404)
    expect(victim.html).not.toContain('Deny')
  })

  test('consent replay: the answered form returns no second code, and the page explains why', async () => {
    const browser = await begin(await service.signedIn())
    const page = browser.url.href
    const fields = browser.formOf(consent)
    fields.set('decision', 'authorize')
    expect(await browser.post(consent, fields)).toContain('code=')
    expect(await browser.post(consent, fields)).toBeNull()
    expect(browser.response.status).toBe(409)
    await browser.open(page)
    expect(browser.response.status).toBe(409)
    expect(browser.html).toContain('You have already decided on this request')
  })

  test('consent tampering: a scope that was not requested cannot be granted', async () => {
    const browser = await begin(await service.signedIn(), { scope: 'apps:read' })
    const page = browser.url.href
    for (const scope of [['apps:read', 'apps:write'], ['*'], ['admin']]) {
      const back = await browser.submit(consent, { decision: 'authorize', scope })
      expect(back).toBeNull()
      expect(browser.response.status).toBe(403)
      await browser.open(page)
    }
    expect(await browser.submit(consent, { decision: 'authorize' })).toContain('code=')
  })

  test('consent tampering: another person’s workspace is refused', async () => {
    const bob = await service.account('bob')
    const browser = await begin(await service.signedIn())
    const back = await browser.submit(consent, {
      decision: 'authorize',
      workspace_id: bob.workspaceId,
    })
    expect(back).toBeNull()
    expect(browser.response.status).toBe(404)
  })

  test('no silent consent: the person is asked again about a client that has a grant', async () => {
    const browser = await service.signedIn()
    await obtainCode(browser)
    await begin(browser, { prompt: 'none' })
    expect(browser.html).toContain('Authorize Command-line MCP client?')
  })

  test('clickjacking: no page of sign-in or consent can be framed or run a script', async () => {
    const signedOut = await begin(service.browser())
    const signedIn = await begin(await service.signedIn())
    const failed = service.browser()
    await failed.open('/mcp/oauth/authorize?client_id=nobody&redirect_uri=https://evil.example')
    for (const { response, html } of [signedOut, signedIn, failed]) {
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(response.headers.get('x-frame-options')).toBe('DENY')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(html).not.toMatch(/<script|<style|\son\w+=|javascript:/i)
    }
  })

  test('tokens in Referer: no page or redirect of the flow sends its address to another site', async () => {
    const browser = await begin(service.browser())
    const pages = [browser.response, (await begin(await service.signedIn())).response]
    const start = await service.app.request('/mcp/oauth/authorize?client_id=nobody')
    for (const response of [...pages, start])
      expect(response.headers.get('referrer-policy')).toBe('same-origin')
    const deciding = await begin(await service.signedIn())
    await deciding.submit(consent, { decision: 'authorize' })
    expect(deciding.response.status).toBe(303)
    expect(deciding.response.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('form-action admits the validated redirect address and nothing else', async () => {
    const browser = await begin(await service.signedIn())
    const policy = browser.response.headers.get('content-security-policy')
    expect(policy).toContain("form-action 'self' http://localhost:4567;")
    await begin(browser, { redirect_uri: 'http://[::1]:4567/callback' })
    expect(browser.response.headers.get('content-security-policy')).toContain(
      "form-action 'self' http:;",
    )
  })

  test('XSS in client_name: a name is text on one line, without hidden or reordering characters', async () => {
    const { id } = await registerClient(service.ctx, {
      client_name: '<img src=x onerror=alert(1)>"\u202Eevil\u0000\nGitHub',
      redirect_uris: ['https://app.example/back'],
    })
    const browser = await begin(await service.signedIn(), {
      client_id: id,
      redirect_uri: 'https://app.example/back',
    })
    expect(browser.html).not.toContain('<img')
    for (const hidden of ['\u202E', '\u0000']) expect(browser.html).not.toContain(hidden)
    expect(browser.html).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })

  test('impersonation: the page shows the return address and that the name is unverified', async () => {
    const { id } = await registerClient(service.ctx, {
      client_name: 'Well-known Assistant',
      redirect_uris: ['https://phish.example/back', 'http://127.0.0.1/callback'],
    })
    const browser = await service.signedIn()
    await begin(browser, { client_id: id, redirect_uri: 'https://phish.example/back' })
    expect(browser.html).toContain('phish.example')
    expect(browser.html).toContain('Parley cannot check who runs this application')
    await begin(browser, { client_id: id, redirect_uri: 'http://127.0.0.1:9/callback' })
    expect(browser.html).toContain('Any program on your device can use this name')
  })

  test('an expired request at 5:00: the page and the form say so, and nothing is redirected', async () => {
    const slow = await open()
    const browser = await slow.signedIn()
    await begin(browser)
    const page = browser.url.href
    const fields = browser.formOf(consent)
    fields.set('decision', 'authorize')
    slow.advance(5 * minuteMs - 1)
    await browser.open(page)
    expect(browser.response.status).toBe(200)
    slow.advance(1)
    await browser.open(page)
    expect(browser.response.status).toBe(410)
    expect(await browser.post(consent, fields)).toBeNull()
    expect(browser.html).toContain('within five minutes')
  })

  test('sign-in does not extend the deadline', async () => {
    const slow = await open()
    const browser = slow.browser()
    await begin(browser)
    slow.advance(5 * minuteMs)
    const { email, password } = slow.ada
    await browser.submit('/login', { email, password })
    expect(browser.response.status).toBe(410)
  })
})
