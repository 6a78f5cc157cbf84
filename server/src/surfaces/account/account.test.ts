import { beforeAll, expect, test } from 'vitest'
import { authenticateBearer } from '#features/grants/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

describeSignIn('the account page', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const isSignedIn = async (browser: Awaited<ReturnType<SignInService['signedIn']>>) => {
    await browser.open('/account')
    return browser.url.pathname === '/account'
  }

  test('asks a person to sign in first, then returns', async () => {
    const browser = service.browser()
    await browser.open('/account')
    expect(browser.url.pathname + browser.url.search).toBe('/login?return_to=%2Faccount')
  })

  test('leads back to the dashboard', async () => {
    const browser = await service.signedIn(await service.account('leaves'))
    await browser.open('/account')
    expect(browser.html).toContain('<a href="/">Back to Parley</a>')
  })

  test('a person changes their name, and an empty one becomes the beginning of their e-mail', async () => {
    const nia = await service.account('nia')
    const browser = await service.signedIn(nia)
    await browser.open('/account')
    await browser.submit('/account/name', { name: '  Nia <b>Long</b>  ' })
    expect(browser.html).toContain('Your name was changed.')
    expect(browser.html).toContain('<h1>Nia &lt;b&gt;Long&lt;/b&gt;</h1>')
    await browser.submit('/account/name', { name: ' ' })
    expect(browser.html).toContain('<h1>nia</h1>')
  })

  test('a changed password signs out everywhere else and is the only one that works', async () => {
    const eve = await service.account('eve')
    const [here, there] = [await service.signedIn(eve), await service.signedIn(eve)]
    await here.open('/account')
    const next = 'quite another password'
    await here.submit('/account/password', { current: eve.password, next })
    expect(here.html).toContain('Your password was changed.')
    expect(await isSignedIn(here)).toBe(true)
    expect(await isSignedIn(there)).toBe(false)
    expect((await service.signedIn(eve)).url.pathname).toBe('/login')
    expect((await service.signedIn({ ...eve, password: next })).url.pathname).toBe('/home/start')
  })

  test('a password is not changed without the current one, and guessing it is limited', async () => {
    const guessed = await service.account('guessed')
    const browser = await service.signedIn(guessed)
    await browser.open('/account')
    for (let count = 0; count < 10; count += 1) {
      await browser.submit('/account/password', { current: 'a guess', next: 'another password' })
      expect(browser.response.status).toBe(422)
      expect(browser.html).toContain('That is not your current password.')
    }
    await browser.submit('/account/password', {
      current: guessed.password,
      next: 'another password',
    })
    expect(browser.response.status).toBe(429)
    expect(Number(browser.response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await service.signedIn(guessed)).url.pathname).toBe('/home/start')
  })

  test('lists the sessions of a person and ends the chosen one', async () => {
    const bob = await service.account('bob')
    const laptop = await service.signedIn(bob)
    const phone = service.browser({ 'user-agent': 'A phone <b>' })
    await phone.open('/login')
    await phone.submit('/login', { email: bob.email, password: bob.password })
    await laptop.open('/account')
    expect(laptop.html).toContain('A phone &lt;b&gt;')
    const time = '<time datetime="2026-01-02T03:04:05.678Z">2026-01-02 03:04 UTC</time>'
    expect(laptop.html).toContain(`<span>signed in ${time}</span>`)
    expect(laptop.html).toContain(`<span>last seen ${time}</span>`)
    await laptop.submit('/account/sessions/end')
    expect(laptop.url.pathname).toBe('/account')
    expect(await isSignedIn(phone)).toBe(false)
    expect(await isSignedIn(laptop)).toBe(true)
  })

  test('signs out everywhere else at once', async () => {
    const carol = await service.account('carol')
    const browsers = await Promise.all([1, 2, 3].map(() => service.signedIn(carol)))
    await browsers[0]!.open('/account')
    await browsers[0]!.submit('/account/sessions/end-others')
    const signedIn = []
    for (const browser of browsers) signedIn.push(await isSignedIn(browser))
    expect(signedIn).toEqual([true, false, false])
  })

  test('another person’s session cannot be ended', async () => {
    const dave = await service.account('dave')
    const [mine, theirs] = [await service.signedIn(), await service.signedIn(dave)]
    const row = await service.ctx.db.read
      .selectFrom('sign_in_sessions')
      .select('id')
      .where('user_id', '=', dave.userId)
      .executeTakeFirstOrThrow()
    await mine.open('/account')
    const fields = mine.formOf('/sign-out')
    fields.set('id', row.id)
    await mine.post('/account/sessions/end', fields)
    expect(mine.response.status).toBe(404)
    expect(await isSignedIn(theirs)).toBe(true)
  })

  test('lists the applications that act for a person and revokes the chosen one', async () => {
    const frank = await service.account('frank')
    const browser = await service.signedIn(frank)
    await browser.open('/account')
    expect(browser.html).toContain('No applications act for you.')
    const { accessToken } = await grantFlow(service, { ...frank, name: 'frank' })
    await browser.open('/account')
    expect(browser.html).toContain('Command-line MCP client')
    await browser.submit('/account/connected-apps/revoke')
    expect(browser.html).toContain('No applications act for you.')
    const refused = authenticateBearer(service.ctx, accessToken)
    await expect(refused).rejects.toMatchObject({ code: 'token_unknown' })
  })

  test('changes are refused from other sites and without the form’s token', async () => {
    const browser = await service.signedIn()
    await browser.open('/account')
    const fields = browser.formOf('/sign-out')
    for (const path of ['/account/password', '/account/sessions/end-others', '/sign-out']) {
      await browser.post(path, fields, { 'sec-fetch-site': 'cross-site' })
      expect(browser.response.status).toBe(403)
      await browser.post(path, new URLSearchParams())
      expect(browser.response.status).toBe(403)
    }
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('a session expires after a week without use, and after a month in any case', async () => {
    const timed = await open()
    const idle = await timed.signedIn()
    const busy = await timed.signedIn()
    for (let days = 1; days < 30; days += 1) {
      timed.advance(dayMs)
      if (days % 6 === 0) {
        expect(await isSignedIn(busy)).toBe(true)
        await expect.poll(() => lastSeen(timed)).toBe(timed.ctx.clock.now())
      }
      if (days === 7) expect(await isSignedIn(idle)).toBe(false)
    }
    timed.advance(dayMs)
    expect(await isSignedIn(busy)).toBe(false)
  })

  async function lastSeen({ ctx }: SignInService): Promise<number> {
    const rows = await ctx.db.read.selectFrom('sign_in_sessions').select('last_seen_at').execute()
    return Math.max(...rows.map(({ last_seen_at }) => last_seen_at))
  }

  test('the style sheet and the icon are cached without end, other pages are not cached', async () => {
    const browser = service.browser()
    await browser.open('/login')
    const style = /href="(\/account\/style\.css\?v=[^"]+)"/.exec(browser.html)?.[1]
    const response = await service.app.request(style!)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect((await service.app.request('/account/icon.svg')).status).toBe(200)
    expect((await service.app.request('/login', { method: 'DELETE' })).status).toBe(405)
  })
})
