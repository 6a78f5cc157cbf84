import { beforeAll, expect, test } from 'vitest'
import { signIn } from '#features/identity/index.ts'
import { hourMs } from '#kernel/durations.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const cookie = '__Secure-parley_device'

describeSignIn('a browser that an account signed in with before', (open) => {
  let service: SignInService

  /** The same with fewer guesses, each of which takes the time of a password check. */
  let strict: SignInService

  beforeAll(async () => {
    service = await open()
    strict = await open({ SIGN_IN_ATTEMPTS_LIMIT: '2' })
  })

  const tryToSignIn = async (
    browser: FormBrowser,
    { email, password }: Omit<Account, 'userId'>,
  ) => {
    await browser.open('/login')
    await browser.submit('/login', { email, password })
    return browser.url.pathname === '/login' ? browser.response.status : 'signed in'
  }
  const leave = async (browser: FormBrowser) => {
    await browser.open('/account')
    await browser.submit('/sign-out')
  }

  /** As many wrong passwords as five addresses have: what an account allows in an hour. */
  const guessEverywhere = async ({ ctx }: SignInService, email: string) => {
    for (let address = 1; address <= 5; address += 1)
      for (let count = 0; count < ctx.config.signInAttemptsLimit; count += 1) {
        const visitor = { address: `203.0.113.${address}`, userAgent: null, sessionToken: null }
        const guess = signIn(ctx, { email, password: `guess ${count}` }, visitor)
        await expect(guess).rejects.toMatchObject({ code: 'credentials_wrong' })
      }
  }

  test('stays open to its owner while guesses from five addresses lock the account elsewhere', async () => {
    const eve = await service.account('eve')
    const known = await service.signedIn(eve)
    await leave(known)
    await guessEverywhere(service, eve.email)
    expect(await tryToSignIn(service.browser(), eve)).toBe(429)
    expect(await tryToSignIn(known, eve)).toBe('signed in')
    expect(known.url.pathname).toBe('/home/start')
  })

  test('has a limit of its own for wrong passwords', async () => {
    const bob = await strict.account('bob')
    const known = await strict.signedIn(bob)
    await leave(known)
    for (let count = 0; count < 2; count += 1)
      expect(await tryToSignIn(known, { ...bob, password: 'a guess' })).toBe(422)
    expect(await tryToSignIn(known, bob)).toBe(429)
    expect(await tryToSignIn(strict.browser(), bob)).toBe('signed in')
  })

  test('is known only for the accounts that signed in with it', async () => {
    const [carol, dave] = [await strict.account('carol'), await strict.account('dave')]
    const known = await strict.signedIn(carol)
    await leave(known)
    await guessEverywhere(strict, dave.email)
    expect(await tryToSignIn(known, dave)).toBe(429)
    expect(await tryToSignIn(known, carol)).toBe('signed in')
  })

  test('stays known to each of its people, and the cookie reveals none of them', async () => {
    const [frank, grace] = [await strict.account('frank'), await strict.account('grace')]
    const shared = await strict.signedIn(frank)
    await leave(shared)
    expect(await tryToSignIn(shared, grace)).toBe('signed in')
    await leave(shared)
    await guessEverywhere(strict, frank.email)
    expect(await tryToSignIn(shared, frank)).toBe('signed in')
    const line = shared.cookieLines.find((one) => one.startsWith(`${cookie}=`))
    expect(line).toMatch(/; Max-Age=31536000; Path=\/login; HttpOnly; Secure; SameSite=Lax$/)
    const value = Buffer.from(shared.cookies.get(cookie)!, 'base64url').toString('latin1')
    expect(value).not.toContain('frank')
  })

  test('is forgotten after KNOWN_BROWSER_SECONDS, and a made-up cookie is unknown', async () => {
    const brief = await open({ KNOWN_BROWSER_SECONDS: '3600', SIGN_IN_ATTEMPTS_LIMIT: '1' })
    const known = await brief.signedIn()
    await leave(known)
    const forged = brief.browser()
    forged.cookies.set(cookie, 'A'.repeat(200))
    expect(await tryToSignIn(brief.browser(), { ...brief.ada, password: 'a guess' })).toBe(422)
    expect(await tryToSignIn(forged, brief.ada)).toBe(429)
    brief.advance(hourMs)
    expect(await tryToSignIn(known, brief.ada)).toBe(429)
  })
})
