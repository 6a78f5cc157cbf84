import { beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '#features/identity/index.ts'
import { Fault, faultKinds } from '#kernel/fault.ts'
import { hashToken } from '#kernel/tokens.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'
import { toPageFault } from './account-faults.ts'

describe('the fault table of the account pages', () => {
  test.each(faultKinds)('kind %s has its own status and message', (kind) => {
    const { status, title, message } = toPageFault(new Fault({ code: 'a_code_of_tomorrow', kind }))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(title).not.toBe('')
    expect(message).not.toBe('')
  })

  test('an error that is not a fault reveals nothing about itself', () => {
    const fault = toPageFault(new Error('password=hunter2'))
    expect(fault.status).toBe(500)
    expect(JSON.stringify(fault)).not.toContain('hunter2')
  })
})

describeSignIn('signing in', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const tryToSignIn = async (email: string, password: string, from = service) => {
    const browser = from.browser()
    await browser.open('/login')
    await browser.submit('/login', { email, password })
    return browser
  }

  test('the form has the fields Email and Password and the button Sign in', async () => {
    const browser = service.browser()
    await browser.open('/login')
    expect(browser.html).toMatch(/<label for="email">Email<\/label>/)
    expect(browser.html).toMatch(/<label for="password">Password<\/label>/)
    expect(browser.html).toMatch(/<button class="primary" type="submit">Sign in<\/button>/)
  })

  test('leads to the dashboard, and /login redirects a signed-in person at once', async () => {
    const browser = await tryToSignIn(' ADA@example.com ', service.ada.password)
    expect(browser.url.pathname).toBe('/home/start')
    await browser.open('/login')
    expect(browser.url.pathname).toBe('/home/start')
  })

  test('the cookie is __Secure-, Secure, HttpOnly, Lax, and only its hash is stored', async () => {
    const browser = await service.signedIn()
    const line = browser.cookieLines.find((cookie) => cookie.startsWith('__Secure-parley_session='))
    expect(line).toMatch(/; Max-Age=2592000; Path=\/login; HttpOnly; Secure; SameSite=Lax$/)
    const value = browser.cookies.get('__Secure-parley_session')!
    expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const rows = await service.ctx.db.read.selectFrom('sign_in_sessions').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(value)
    expect(rows.map(({ hash }) => hash)).toContain(hashToken(value))
  })

  test.each([
    ['https://parley.example', true],
    ['http://127.0.0.1:3000', true],
    ['http://[::1]:3000', true],
    ['http://192.168.1.10:3000', false],
    ['http://parley.example', false],
  ])('at %s the cookie can be Secure: %s', async (base, secure) => {
    const elsewhere = await open({ BASE_URL: base })
    const browser = await elsewhere.signedIn()
    const name = secure ? '__Secure-parley_session' : 'parley_session'
    const line = browser.cookieLines.find((cookie) => cookie.startsWith(`${name}=`))
    expect(line).toContain('HttpOnly')
    expect(/; Secure/.test(line!)).toBe(secure)
  })

  test('session fixation: sign-in creates a new session and ends the previous session of the browser', async () => {
    const before = await service.signedIn()
    const planted = before.cookies.get('__Secure-parley_session')!
    const browser = service.browser()
    await browser.open('/login')
    browser.cookies.set('__Secure-parley_session', 'x'.repeat(43))
    await browser.open('/login')
    const { email, password } = service.ada
    await browser.submit('/login', { email, password })
    expect(browser.cookies.get('__Secure-parley_session')).not.toBe('x'.repeat(43))
    const held = browser.cookies.get('__Secure-parley_session')!
    const visitor = { address: 'somewhere', userAgent: null, sessionToken: planted }
    await signIn(service.ctx, { email, password }, visitor)
    await before.open('/account')
    expect(before.url.pathname).toBe('/login')
    await browser.open('/account')
    expect(browser.cookies.get('__Secure-parley_session')).toBe(held)
    expect(browser.url.pathname).toBe('/account')
  })

  test('signing out ends the session for every holder of its cookie', async () => {
    const browser = await service.signedIn()
    const thief = service.browser()
    thief.cookies.set('__Secure-parley_session', browser.cookies.get('__Secure-parley_session')!)
    await thief.open('/account')
    expect(thief.url.pathname).toBe('/account')
    await browser.open('/account')
    await browser.submit('/sign-out')
    expect(browser.url.pathname).toBe('/signed-out')
    expect(browser.cookies.has('__Secure-parley_session')).toBe(false)
    await thief.open('/account')
    expect(thief.url.pathname).toBe('/login')
  })

  describe('attacks', () => {
    test('user enumeration: an unknown email and a wrong password get the same answer', async () => {
      const wrong = await tryToSignIn(service.ada.email, 'not the password')
      const unknown = await tryToSignIn('zzz@example.com', 'not the password')
      expect([wrong.response.status, unknown.response.status]).toEqual([422, 422])
      const plain = (html: string) =>
        html.replace(/value="[^"]*"/g, '').replaceAll(/(ada|zzz)@example.com/g, '')
      expect(plain(unknown.html)).toBe(plain(wrong.html))
      expect(wrong.html).toContain('The email or password is wrong')
    })

    test('user enumeration: an unknown email takes as long as a wrong password', async () => {
      const timed = await open()
      const medianMs = async (email: string) => {
        const times = []
        for (let round = 0; round < 7; round += 1) {
          const startedAt = performance.now()
          await tryToSignIn(email, 'not the password', timed)
          times.push(performance.now() - startedAt)
        }
        return times.sort((a, b) => a - b)[3]!
      }
      const [wrong, unknown] = [await medianMs(timed.ada.email), await medianMs('zz@example.com')]
      // Without hashing for unknown people, it would be under a fifth.
      expect(unknown / wrong).toBeGreaterThan(0.5)
      expect(unknown / wrong).toBeLessThan(2)
    })

    test('brute force on login: after ten wrong passwords from one address, even the right one is refused', async () => {
      const guessed = await open()
      for (let count = 0; count < 10; count += 1)
        expect(
          (await tryToSignIn(guessed.ada.email, `guess ${count}`, guessed)).response.status,
        ).toBe(422)
      const right = await tryToSignIn(guessed.ada.email, guessed.ada.password, guessed)
      expect(right.response.status).toBe(429)
      expect(Number(right.response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(right.html).toContain('Too many attempts')
    })

    test('brute force on login: concurrent guesses do not exceed the limit', async () => {
      const guessed = await open()
      const browser = guessed.browser()
      await browser.open('/login')
      const fields = browser.formOf('/login')
      fields.set('email', guessed.ada.email)
      fields.set('password', 'a guess')
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const statuses = await Promise.all(
        Array.from(
          { length: 25 },
          async () => (await guessed.post('/login', fields, headers)).status,
        ),
      )
      expect(statuses.filter((status) => status === 422)).toHaveLength(10)
      expect(statuses.filter((status) => status === 429)).toHaveLength(15)
    })

    test('SIGN_IN_ATTEMPTS_LIMIT sets the number of guesses', async () => {
      const strict = await open({ SIGN_IN_ATTEMPTS_LIMIT: '2' })
      const guess = async () =>
        (await tryToSignIn(strict.ada.email, 'a guess', strict)).response.status
      expect([await guess(), await guess(), await guess()]).toEqual([422, 422, 429])
    })

    test('right passwords are not counted as guesses', async () => {
      const busy = await open()
      for (let count = 0; count < 12; count += 1)
        expect((await busy.signedIn()).url.pathname).toBe('/home/start')
    })

    test('login CSRF: another site cannot sign a visitor in as a person of its choice', async () => {
      const attacker = service.browser()
      await attacker.open('/login')
      const fields = attacker.formOf('/login')
      fields.set('email', service.ada.email)
      fields.set('password', service.ada.password)
      const victim = service.browser()
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-origin' },
      ]) {
        await victim.post('/login', fields, headers)
        expect(victim.response.status).toBe(403)
        expect(victim.cookies.has('__Secure-parley_session')).toBe(false)
      }
    })

    test('login CSRF in browsers without Sec-Fetch-Site: a foreign Origin is refused', async () => {
      const browser = service.browser()
      await browser.open('/login')
      const fields = browser.formOf('/login')
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const foreign = await service.post('/login', fields, {
        cookie,
        origin: 'https://evil.example',
      })
      expect(foreign.status).toBe(403)
      const own = await service.post('/login', fields, { cookie, origin: 'http://localhost:3000' })
      expect(own.status).toBe(422)
    })

    test.each([
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '\\\\evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
      '%2f%2fevil.example',
    ])('open redirect after sign-in: %s is not returned to', async (returnTo) => {
      const browser = service.browser()
      await browser.open(`/login?return_to=${encodeURIComponent(returnTo)}`)
      const { email, password } = service.ada
      const left = await browser.submit('/login', { email, password })
      expect(left).toBeNull()
      expect(browser.url.pathname).toBe('/home/start')
      await browser.open(`/login?return_to=${encodeURIComponent(returnTo)}`)
      expect(browser.url.pathname).toBe('/home/start')
    })

    test('XSS: typed input is shown as text', async () => {
      const browser = await tryToSignIn('"><script>alert(1)</script>@x', 'x')
      expect(browser.html).not.toContain('<script>')
    })

    test('a planted or malformed session cookie opens no session', async () => {
      for (const value of ['x', 'a'.repeat(43), `${'a'.repeat(42)}'`, '']) {
        const browser = service.browser()
        browser.cookies.set('__Secure-parley_session', value)
        await browser.open('/account')
        expect(browser.url.pathname).toBe('/login')
      }
    })
  })
})
