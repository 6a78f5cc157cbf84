import { beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '#kernel/tokens.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
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
      const sent = browser.cookieLines.slice(length).map((line) => `set-cookie: ${line}\r\n`)
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

  describe.each(['https://parley.example', 'http://parley.example'])('at %s', (BASE_URL) => {
    const prefixes = BASE_URL.startsWith('https') ? ['__Host-', '__Secure-'] : ['', '']
    const [old = '', current = ''] = prefixes.map((prefix) => `${prefix}parley_`)
    const cookieOf = ({ cookies }: FormBrowser) =>
      [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    let at: SignInService

    beforeAll(async () => {
      at = await open({ BASE_URL })
    })

    /** A browser as the version before has left it: all cookies have the path `/`. */
    const before = async () => {
      const browser = await at.signedIn()
      const left = at.browser()
      for (const [name, value] of browser.cookies)
        left.cookies.set(name.replace(current, old), value)
      return left
    }
    /** Browsers tell cookies apart by name and path. */
    const kept = ({ cookieLines }: FormBrowser) => {
      const jar = new Map<string, string>()
      for (const line of cookieLines) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        jar.set(`${name} ${pathOf(line)}`, /max-age=0/i.test(line) ? 'cleared' : value)
      }
      return jar
    }

    test.each(['/', '/agents', '/account'])(
      'people who signed in before the paths stay signed in at %s, and their cookies move',
      async (path) => {
        const browser = await before()
        const session = browser.cookies.get(`${old}session`) ?? ''
        await browser.open(path)
        expect(browser.url.pathname).toBe(path)
        const jar = kept(browser)
        for (const name of ['session', 'browser', 'device']) {
          expect(jar.get(`${old}${name} /`)).toBe('cleared')
          expect(jar.get(`${current}${name} /login`)).toBe(browser.cookies.get(`${current}${name}`))
        }
        expect(jar.get(`${current}session /agents`)).toBe(session)
        const paths = [...jar].flatMap(([key, value]) =>
          value === 'cleared' ? [] : key.split(' ')[1],
        )
        expect(elsewhere.filter((one) => paths.some((kind = '/') => covers(kind, one)))).toEqual([])
        // Nothing is left to move.
        const { length } = browser.cookieLines
        await browser.open('/agents')
        expect(browser.url.pathname).toBe('/agents')
        expect(browser.cookieLines.slice(length)).toEqual([])
      },
    )

    test('a form that was opened before the paths can be sent after', async () => {
      const browser = await before()
      await browser.open('/account')
      const form = browser.formOf('/sign-out')
      const sent = { cookie: cookieOf(await before()), 'sec-fetch-site': 'same-origin' }
      expect((await at.post('/sign-out', form, sent)).status).toBe(403)
      const own = { ...sent, cookie: cookieOf(browser).replaceAll(current, old) }
      const { status, headers } = await at.post('/sign-out', form, own)
      expect(status).toBe(303)
      const last = headers.getSetCookie().filter((line) => line.startsWith(`${current}session=`))
      expect(last.slice(-10).every((line) => /max-age=0/i.test(line))).toBe(true)
      expect((await me(own.cookie, at)).status).toBe(401)
    })

    test('a sign-in and a sign-out clear what the version before has left', async () => {
      const browser = at.browser()
      await browser.open('/login')
      browser.cookies.set(`${old}session`, mintToken('').token)
      await browser.open('/login')
      const { email, password } = at.ada
      await browser.submit('/login', { email, password })
      expect(kept(browser).get(`${old}session /`)).toBe('cleared')
      await browser.open('/account')
      await browser.submit('/sign-out')
      const left = [...kept(browser)].filter(
        ([key, value]) => /session/.test(key) && value !== 'cleared',
      )
      expect(left).toEqual([])
    })
  })
})
