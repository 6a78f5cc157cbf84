import { beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '#kernel/tokens.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

/** Where a browser must send no cookie of the dashboard (RFC 6265bis §5.1.4). */
const elsewhere = [
  '/',
  '/chat',
  '/chat/shop-1',
  '/chat/shop-1/app',
  '/chat/shop-1/enter',
  '/chat/shop-1/messages',
  '/chat/widget/key/frame',
  '/chat-assets/page.js',
  '/chat-captcha',
  '/api/v1/chat/completions',
  '/mcp',
  '/mcp/oauth/token',
  '/acp/1/products',
  '/docs/sessions',
  '/hooks/payments/stripe',
]

const pathOf = (line: string) => /; Path=([^;]*)/.exec(line)?.[1] ?? '/'
const covers = (path: string, address: string) =>
  `${address}/`.startsWith(path === '/' ? path : `${path}/`)

describeSignIn('the cookies of people', (open) => {
  let service: SignInService
  let lines: readonly string[]

  beforeAll(async () => {
    service = await open()
    const browser = service.browser()
    const { email, password } = service.ada
    await browser.open('/login')
    await browser.submit('/login', { email, password })
    lines = browser.cookieLines
  })

  const me = (cookie: string, on = service) =>
    on.app.request(`${on.ctx.config.baseUrl}/api/dashboard/me`, { headers: { cookie } })

  test.each(elsewhere)('are not sent to %s', (address) => {
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => covers(pathOf(line), address))).toEqual([])
  })

  test('go to the addresses below the base path only', async () => {
    const under = await open({ BASE_URL: 'http://localhost:3000/parley' })
    const browser = under.browser()
    const { email, password } = under.ada
    await browser.open('/parley/login')
    await browser.submit('/parley/login', { email, password })
    expect(browser.url.pathname).toBe('/parley/home/start')
    const paths = browser.cookieLines.map(pathOf)
    expect(paths.filter((path) => !path.startsWith('/parley/'))).toEqual([])
    await browser.open('/parley')
    expect(browser.url.pathname).toBe('/parley/home/start')
    await browser.open('/parley/account')
    await browser.submit('/parley/sign-out')
    expect([...browser.cookies.keys()]).not.toContain('__Secure-parley_session')
  })

  test('fit into the 4,096 bytes that proxies reserve for headers, after five people signed in', async () => {
    const browser = service.browser()
    for (const name of ['kim', 'lea', 'max', 'noa', 'oda']) {
      const { email, password } = await service.account(name)
      await browser.open('/login')
      const { length } = browser.cookieLines
      await browser.submit('/login', { email, password })
      // The start page leads to the sign-in page, which sets those of the session again.
      const lines = new Set(browser.cookieLines.slice(length))
      const sent = [...lines].map((line) => `set-cookie: ${line}\r\n`)
      // The rest is for the status line and the other headers.
      expect(sent.join('').length).toBeLessThan(4096 - 400)
      await browser.open('/account')
      await browser.submit('/sign-out')
    }
  })

  test('with two values under one name count as none, with one value twice as one', async () => {
    const [session] = lines.flatMap((line) => /^__Secure-parley_session=[^;]+/.exec(line) ?? [])
    const other = `__Secure-parley_session=${mintToken('').token}`
    expect((await me(`${session}`)).status).toBe(200)
    expect((await me(`${session}; ${session}`)).status).toBe(200)
    expect((await me(`${session}; ${other}`)).status).toBe(401)
    expect((await me(`${other}; ${session}`)).status).toBe(401)
    // An empty value is a value.
    expect((await me(`__Secure-parley_session=; ${session}`)).status).toBe(401)
  })

  test('of the session are not read with white space before their name that is none in a cookie', async () => {
    const [session] = lines.flatMap((line) => /^__Secure-parley_session=[^;]+/.exec(line) ?? [])
    expect((await me(`a=1; ${session}`)).status).toBe(200)
    expect((await me(`a=1;\u00a0${session}`)).status).toBe(401)
  })

  const page = (path: string, cookie: string) =>
    service.app.request(`${service.ctx.config.baseUrl}${path}`, { headers: { cookie } })

  test('are not read at addresses that only decode to theirs', async () => {
    const [session] = lines.flatMap((line) => /^__Secure-parley_session=[^;]+/.exec(line) ?? [])
    expect((await page('/account', `${session}`)).status).toBe(200)
    expect((await page('/%61ccount', `${session}`)).status).toBe(303)
    expect((await page('/%61gents', `${session}`)).status).toBe(303)
  })

  test.each(['/login', '/home/start', '/agents', '/account', '/login/chat/shop-1'])(
    'with two values lead from %s to no sign-in, which would lead back',
    async (path) => {
      const [session] = lines.flatMap((line) => /^__Secure-parley_session=[^;]+/.exec(line) ?? [])
      const planted = `__Secure-parley_session=${mintToken('').token}`
      const answer = await page(path, `${session}; ${planted}`)
      if (path === '/login/chat/shop-1') return expect(answer.status).toBe(404)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('content-type')).toContain('text/html')
      expect(await answer.text()).toContain('Delete the cookies of this domain')
    },
  )

  test('are set again by the sign-in page if a browser has dropped some of them', async () => {
    const browser = await service.signedIn()
    const { length } = browser.cookieLines
    await browser.open('/login?return_to=/account')
    expect(browser.url.pathname).toBe('/account')
    const again = browser.cookieLines
      .slice(length)
      .map((line) => `${line.split('=')[0]} ${pathOf(line)}`)
    expect(again).toContain('__Secure-parley_session /home')
    expect(again).toContain('__Secure-parley_session /account')
  })

  describe.each(['https://parley.example', 'http://parley.example'])('at %s', (BASE_URL) => {
    const isSecure = BASE_URL.startsWith('https')
    const old = isSecure ? '__Host-parley_' : 'parley_'

    test('a sign-in and a sign-out clear what the version before has left', async () => {
      const at = await open({ BASE_URL })
      const browser = at.browser()
      browser.cookies.set(`${old}session`, mintToken('').token)
      await browser.open('/login')
      const { email, password } = at.ada
      await browser.submit('/login', { email, password })
      const cleared = browser.cookieLines.filter(
        (line) => line.startsWith(`${old}session=;`) && pathOf(line) === '/',
      )
      expect(cleared).not.toEqual([])
      expect(cleared.filter((line) => !/max-age=0/i.test(line))).toEqual([])
      await browser.open('/account')
      expect(browser.url.pathname).toBe('/account')
      await browser.submit('/sign-out')
      await browser.open('/account')
      expect(browser.url.pathname).toBe('/login')
    })
  })
})
