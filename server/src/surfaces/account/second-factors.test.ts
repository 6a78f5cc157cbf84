import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#kernel/durations.ts'
import { addApp, codesOf, personWithApp } from '#test/support/identity/authenticator-app.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const step = '/login/second-factor'

describeSignIn('a second factor', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const withApp = () => personWithApp(service)
  const isSignedIn = async (browser: FormBrowser) => {
    await browser.open('/account')
    return browser.url.pathname === '/account'
  }
  const signInWith = async (person: Account, code: string, from = service) => {
    const browser = await from.signedIn(person)
    await browser.submit(step, { code })
    return browser
  }

  test('is asked for after the password, and only then opens a session', async () => {
    const { person, app } = await withApp()
    const browser = await service.signedIn(person)
    expect(browser.url.pathname).toBe(step)
    expect(browser.cookies.has('__Secure-parley_session')).toBe(false)
    expect(await isSignedIn(browser)).toBe(false)
    await browser.open(step)
    await browser.submit(step, { code: app.code() })
    expect(await isSignedIn(browser)).toBe(true)
    expect(browser.cookies.has('__Secure-parley_half')).toBe(false)
  })

  test.each([
    ['http://192.168.1.10:3000', false],
    ['http://parley.example', false],
    ['http://localhost:3000', true],
    ['https://parley.example', true],
  ])('at %s can be an app, and a passkey: %s', async (BASE_URL, hasPasskeys) => {
    const here = await open({ BASE_URL })
    const browser = await here.signedIn()
    await browser.open('/account/second-factor')
    expect(browser.html).toContain('href="/account/second-factor/app')
    expect(browser.html.includes('href="/account/second-factor/passkey')).toBe(hasPasskeys)
    expect(browser.html.includes('Passkeys need https and a host name.')).toBe(!hasPasskeys)
    await browser.open('/account/second-factor/passkey')
    expect(browser.response.ok).toBe(hasPasskeys)
  })

  test('leads to the page that was asked for', async () => {
    const { person, app } = await withApp()
    const browser = service.browser()
    await browser.open('/login?return_to=%2Faccount')
    await browser.submit('/login', { email: person.email, password: person.password })
    await browser.submit(step, { code: app.code() })
    expect(browser.url.pathname).toBe('/account')
  })

  test('the cookie of a half-finished sign-in is no session, and its token is stored as a hash', async () => {
    const { person } = await withApp()
    const browser = await service.signedIn(person)
    const half = browser.cookies.get('__Secure-parley_half')!
    browser.cookies.set('__Secure-parley_session', half)
    expect(await isSignedIn(browser)).toBe(false)
    const api = await service.app.request('/api/dashboard/me', {
      headers: { cookie: `__Secure-parley_session=${half}` },
    })
    expect(api.status).toBe(401)
    const rows = await service.ctx.db.read.selectFrom('half_sign_ins').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(half)
  })

  test('a code works once, even in two browsers at the same time', async () => {
    const { person, app } = await withApp()
    const browsers = [await service.signedIn(person), await service.signedIn(person)]
    const code = app.code()
    await Promise.all(browsers.map((browser) => browser.submit(step, { code })))
    expect(browsers.filter(({ url }) => url.pathname === '/home/start')).toHaveLength(1)
    const late = await signInWith(person, code)
    expect(late.response.status).toBe(422)
    expect(late.html).toContain('it was used before')
  })

  test('the code that added an app does not also sign in', async () => {
    const person = await service.account('fresh')
    const app = await addApp(service, await service.signedIn(person))
    expect((await signInWith(person, app.code())).response.status).toBe(422)
  })

  test('a code of the step before or after is right, one of two steps away is wrong', async () => {
    for (const [steps, isRight] of [
      [-2, false],
      [-1, true],
      [1, true],
      [2, false],
    ] as const) {
      const { person, app } = await withApp()
      const browser = await signInWith(person, app.code(steps))
      expect({ steps, isRight: browser.url.pathname === '/home/start' }).toEqual({ steps, isRight })
    }
  })

  test('wrong codes are limited per account, in every browser and for the right code too', async () => {
    const { person, app } = await withApp()
    const wrong = app.code(50)
    for (let count = 0; count < 5; count += 1)
      expect((await signInWith(person, wrong)).response.status).toBe(422)
    const refused = await signInWith(person, app.code())
    expect(refused.response.status).toBe(429)
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0)
    const recovered = await signInWith(person, app.recoveryCodes[0]!)
    expect(recovered.url.pathname).toBe('/home/start')
  })

  test('concurrent guesses do not exceed the limit', async () => {
    const { person, app } = await withApp()
    const browser = await service.signedIn(person)
    const fields = browser.formOf(step)
    fields.set('code', app.code(50))
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const guesses = Array.from({ length: 12 }, () => service.post(step, fields, headers))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 422)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(7)
  })

  test('a recovery code replaces the factor once, in any spelling, and is stored as a hash', async () => {
    const { person, app } = await withApp()
    expect(app.recoveryCodes).toHaveLength(10)
    const [code = ''] = app.recoveryCodes
    const rows = await service.ctx.db.read.selectFrom('recovery_codes').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(code)
    const browser = await signInWith(person, ` ${code.toUpperCase().replaceAll('-', ' ')}`)
    expect(browser.url.pathname).toBe('/home/start')
    expect((await signInWith(person, code)).response.status).toBe(422)
    await browser.open('/account')
    expect(browser.html).toContain('9 codes left')
  })

  test('a recovery code of another person is wrong', async () => {
    const [mine, theirs] = [await withApp(), await withApp()]
    const browser = await signInWith(mine.person, theirs.app.recoveryCodes[0]!)
    expect(browser.response.status).toBe(422)
  })

  test('new recovery codes end the earlier ones', async () => {
    const { person, browser, app } = await withApp()
    await browser.open('/account')
    await browser.submit('/account/second-factor/recovery-codes')
    const [fresh = ''] = /[a-z2-9]{4}(?:-[a-z2-9]{4}){3}/.exec(browser.html) ?? []
    expect((await signInWith(person, app.recoveryCodes[0]!)).response.status).toBe(422)
    expect((await signInWith(person, fresh)).url.pathname).toBe('/home/start')
  })

  test('waits SECOND_FACTOR_SECONDS, and is gone after that and after use', async () => {
    const { person, app } = await withApp()
    const slow = await service.signedIn(person)
    service.advance(10 * minuteMs)
    await slow.submit(step, { code: app.code() })
    expect(slow.response.status).toBe(410)
    const quick = await service.signedIn(person)
    const half = quick.cookies.get('__Secure-parley_half')!
    await quick.submit(step, { code: app.code() })
    const thief = service.browser()
    thief.cookies.set('__Secure-parley_half', half)
    await thief.open(step)
    expect(thief.response.status).toBe(410)
  })

  test('the secret is sealed, and a page with it has no other holder', async () => {
    const { browser } = await withApp()
    await browser.open('/account/second-factor/app')
    const code = codesOf(service, browser.html)
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(browser.html)![1]!.replaceAll(' ', '')
    const { read } = service.ctx.db
    const stored = [
      await read.selectFrom('factor_challenges').selectAll().execute(),
      await read.selectFrom('second_factors').selectAll().execute(),
    ]
    expect(JSON.stringify(stored)).not.toContain(secret)
    await browser.submit('/account/second-factor/app', { code: code(), name: 'A second phone' })
    await browser.open('/account')
    expect(browser.html).toContain('A second phone')
  })

  test('a new app counts only after its first code', async () => {
    const person = await service.account('patient')
    const browser = await service.signedIn(person)
    await browser.open('/account/second-factor/app')
    const code = codesOf(service, browser.html)
    await browser.submit('/account/second-factor/app', { code: code(50) })
    expect(browser.response.status).toBe(422)
    expect((await service.signedIn(person)).url.pathname).toBe('/home/start')
    await browser.submit('/account/second-factor/app', { code: code() })
    expect(browser.html).toContain('Save your recovery codes')
    expect((await service.signedIn(person)).url.pathname).toBe(step)
  })

  test('changing the password ends half-finished sign-ins', async () => {
    const { person, browser, app } = await withApp()
    const half = await service.signedIn(person)
    await browser.open('/account')
    await browser.submit('/account/password', {
      current: person.password,
      next: 'quite another one',
    })
    await half.submit(step, { code: app.code() })
    expect(half.response.status).toBe(410)
  })

  test('the second step is refused from other sites and without the form’s token', async () => {
    const { person, app } = await withApp()
    const browser = await service.signedIn(person)
    const fields = browser.formOf(step)
    fields.set('code', app.code())
    await browser.post(step, fields, { 'sec-fetch-site': 'cross-site' })
    expect(browser.response.status).toBe(403)
    fields.set('form_token', 'x')
    await browser.post(step, fields)
    expect(browser.response.status).toBe(403)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('who added, used and removed factors is in the audit log', async () => {
    const { person, browser, app } = await withApp()
    await signInWith(person, app.recoveryCodes[1]!)
    await browser.open('/account')
    await browser.submit('/account/second-factor/remove')
    const rows = await service.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'outcome'])
      .where('user_id', '=', person.userId)
      .orderBy('id')
      .execute()
    expect(rows.map(({ action }) => action)).toEqual([
      'sign_in',
      'add_second_factor',
      'use_recovery_code',
      'sign_in',
      'remove_second_factor',
    ])
  })
})
