import { beforeAll, expect, test } from 'vitest'
import { accountSurface } from '#surfaces/account/index.ts'
import { dashboardSurface } from '#surfaces/dashboard/index.ts'
import { oauthSurface } from '#surfaces/oauth/index.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

/** What a browser says about a form or script of another origin. */
const foreign = {
  'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  'another host of the domain': { 'sec-fetch-site': 'same-site', origin: 'https://blog.example' },
  'a sandboxed page': { 'sec-fetch-site': 'cross-site', origin: 'null' },
  'a chat page in an old browser': { origin: 'null' },
  'another host of the domain, in an old browser': { origin: 'https://blog.example' },
  'plain http, in an old browser': { origin: 'http://parley.example' },
  'another port, in an old browser': { origin: 'https://parley.example:8443' },
}

describeSignIn('requests that change something', (open) => {
  let service: SignInService
  let browser: FormBrowser
  let token: string
  let routes: readonly string[]

  beforeAll(async () => {
    service = await open({ BASE_URL: 'https://parley.example' })
    browser = await service.signedIn()
    await browser.open('/account')
    token = browser.formOf('/sign-out').get('form_token') ?? ''
    const { ctx } = service
    const surfaces = [
      accountSurface(ctx),
      dashboardSurface(ctx, { version: '1', folder: '' }),
      oauthSurface(ctx),
    ]
    const posts = surfaces.flatMap((one) => one.routes.filter(({ method }) => method === 'POST'))
    // Programs call the others, without a cookie.
    const ofPrograms = /\/(?:token|register|revoke|introspect|back-channel-logout)$/
    routes = posts.map(({ path }) => path).filter((path) => !ofPrograms.test(path))
  })

  const cookie = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const post = (path: string, headers: Readonly<Record<string, string>>) => {
    const address = path.replaceAll(/:\w+/g, 'one')
    const body = address.startsWith('/api/') ? {} : new URLSearchParams({ form_token: token })
    return service.post(address, body, { cookie: cookie(), host: 'parley.example', ...headers })
  }

  test.each(Object.entries(foreign))(
    'are refused from %s, at every address',
    async (_, headers) => {
      expect(routes.length).toBeGreaterThan(20)
      for (const path of routes)
        expect([path, (await post(path, headers)).status]).toEqual([path, 403])
      await browser.open('/account')
      expect(browser.url.pathname).toBe('/account')
    },
  )

  test.each([
    { 'sec-fetch-site': 'same-origin', origin: 'https://parley.example' },
    { origin: 'https://parley.example' },
    // Another name of the service, to which the request was sent.
    { origin: 'https://parley.internal', host: 'parley.internal' },
  ])('are accepted from our own pages, which say %o', async (headers) => {
    expect((await post('/account/name', { ...headers })).status).toBe(303)
  })
})
