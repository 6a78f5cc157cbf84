import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Hono } from 'hono'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import {
  baseUrl,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { dashboardSurface } from './index.ts'

const script = 'console.log("here")'
const index = `<!doctype html><html lang="en" data-base="" data-theme="system"><head>
<script type="module" src="./assets/index-1.js"></script></head></html>`

describeSignIn('the pages of the dashboard', (open) => {
  let service: SignInService
  let cookie: string
  const folder = mkdtempSync(join(tmpdir(), 'parley-build-'))
  const empty = mkdtempSync(join(tmpdir(), 'parley-build-'))

  beforeAll(async () => {
    service = await open()
    const { cookies } = await service.signedIn()
    cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), index)
    writeFileSync(join(folder, 'assets/index-1.js'), script)
    writeFileSync(join(folder, 'assets/index-1.js.gz'), gzipSync(script))
  })

  afterAll(() => {
    for (const one of [folder, empty]) rmSync(one, { recursive: true })
  })

  async function get(
    path: string,
    headers: Record<string, string> = {},
    { build = folder, on = service }: { build?: string; on?: SignInService } = {},
  ): Promise<Response> {
    const app = new Hono<HttpEnvironment>()
    app.route('/', dashboardSurface(on.ctx, { version: '1', folder: build }))
    return await app.request(`${baseUrl}${path}`, { headers: { cookie, ...headers } })
  }

  describe.each(['/', '/agents', '/agents/shop-1/build', '/settings/developer'])(
    'at %s',
    (path) => {
      test('the page is served and revalidated each time', async () => {
        const page = await get(path)
        expect(page.status).toBe(200)
        expect(page.headers.get('cache-control')).toBe('private, no-cache')
        expect(await page.text()).toContain('src="/assets/index-1.js"')
        const again = await get(path, { 'if-none-match': page.headers.get('etag') ?? '' })
        expect(again.status).toBe(304)
      })

      test('a person who is not signed in is redirected to sign-in, and back', async () => {
        const page = await get(`${path}?tab=2`, { cookie: '' })
        expect(page.status).toBe(303)
        const login = new URL(page.headers.get('location') ?? '', baseUrl)
        expect(login.pathname).toBe('/login')
        // Browsers send no session to `/`, so it would lead to the sign-in for ever.
        const back = path === '/' ? '/home/start' : path
        expect(login.searchParams.get('return_to')).toBe(`${back}?tab=2`)
      })
    },
  )

  test('the policy allows no inline script or style, and no frames', async () => {
    const { headers } = await get('/agents')
    const policy = new Map(
      (headers.get('content-security-policy') ?? '')
        .split('; ')
        .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]),
    )
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('script-src')).toBe("'self'")
    expect(policy.get('style-src')).toBe("'self'")
    expect(policy.get('frame-ancestors')).toBe("'none'")
    expect(policy.get('base-uri')).toBe("'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  })

  test('the chosen theme is in the page; any other value is not', async () => {
    const chosen = await (await get('/', { cookie: `${cookie}; parley_theme=dark` })).text()
    expect(chosen).toContain('data-theme="dark"')
    const other = await (await get('/', { cookie: `${cookie}; parley_theme="><script>` })).text()
    expect(other).toContain('data-theme="system"')
  })

  test('under a base path, all addresses begin with it', async () => {
    const under = await open({ BASE_URL: `${baseUrl}/parley` })
    const browser = under.browser()
    await browser.open('/parley/login')
    const { email, password } = under.ada
    await browser.submit('/parley/login', { email, password })
    const own = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const login = await get('/agents', { cookie: '' }, { on: under })
    expect(login.headers.get('location')).toBe('/parley/login?return_to=%2Fparley%2Fagents')
    const page = await (await get('/agents', { cookie: own }, { on: under })).text()
    expect(page).toContain('src="/parley/assets/index-1.js"')
    expect(page).toContain('data-base="/parley"')
  })

  test('a file of the build is cached without end and has the best accepted encoding', async () => {
    const plain = await get('/assets/index-1.js', { cookie: '' })
    expect(await plain.text()).toBe(script)
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const small = await get('/assets/index-1.js', { 'accept-encoding': 'br, gzip' })
    expect(small.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await small.arrayBuffer()).toString()).toBe(script)
    const refused = await get('/assets/index-1.js', { 'accept-encoding': 'gzip;q=0' })
    expect(refused.headers.get('content-encoding')).toBeNull()
    const known = { 'if-none-match': plain.headers.get('etag') ?? '' }
    expect((await get('/assets/index-1.js', known)).status).toBe(304)
  })

  test.each([
    '/assets/nothing.js',
    '/assets/..%2findex.html',
    '/assets/index-1.js.gz',
    '/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  ])('%s is not a file of the build', async (path) => {
    expect((await get(path)).status).toBe(404)
  })

  test('without a build the page explains how to create one, and a later build is found', async () => {
    const page = await get('/agents', {}, { build: empty })
    expect(page.status).toBe(503)
    expect(await page.text()).toContain('npm run build:dashboard')
    writeFileSync(join(empty, 'index.html'), index)
    expect((await get('/agents', {}, { build: empty })).status).toBe(200)
    rmSync(join(empty, 'index.html'))
  })

  test('addresses of other surfaces are not affected', async () => {
    const missing = await service.app.request(`${baseUrl}/api/v2/nothing`, { headers: { cookie } })
    expect(missing.status).toBe(404)
    expect(missing.headers.get('content-type')).toContain('application/json')
    expect((await service.app.request(`${baseUrl}/nowhere`)).status).toBe(404)
  })
})
