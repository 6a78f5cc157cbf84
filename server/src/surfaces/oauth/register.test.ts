import { beforeAll, describe, expect, test } from 'vitest'
import { Fault, faultKinds } from '#kernel/fault.ts'
import { makePkce } from '#test/support/identity/oauth-flow.ts'
import {
  authorizeQuery,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { toOauthFault } from './oauth-faults.ts'
import { faultPage } from './oauth-page-faults.ts'

describe('the fault tables of the authorization server', () => {
  test.each(faultKinds)('kind %s has a status and a message, as JSON and as a page', (kind) => {
    const fault = new Fault({ code: 'a_code_of_tomorrow', kind })
    expect(toOauthFault(fault).status).toBeGreaterThanOrEqual(400)
    expect(toOauthFault(fault).message).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(faultPage(fault).status).toBeGreaterThanOrEqual(400)
  })

  test('an error that is not a fault reveals nothing about itself', async () => {
    const error = new Error('password=hunter2')
    expect(JSON.stringify(toOauthFault(error))).not.toContain('hunter2')
    const { page, status } = faultPage(error)
    expect(status).toBe(500)
    expect(String(await page.body)).not.toContain('hunter2')
  })
})

describeSignIn('client registration', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const register = (body: unknown, path = '/mcp/oauth/register') => service.post(path, body)
  const loopback = ['http://localhost:7777/callback']
  const errorOf = async (body: unknown) => {
    const response = await register(body)
    const { error } = (await response.json()) as { error: string }
    return `${response.status} ${error}`
  }

  test.each(['/mcp/oauth/register', '/register'])(
    'at %s registers a public client, whatever it requested',
    async (path) => {
      const asked = {
        client_name: 'A client',
        redirect_uris: loopback,
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['authorization_code', 'refresh_token', 'implicit'],
        response_types: ['code'],
        application_type: 'native',
        client_uri: 'https://client.example',
        something_else: { of: 'no interest' },
      }
      const response = await register(asked, path)
      expect(response.status).toBe(201)
      expect(response.headers.get('cache-control')).toBe('no-store')
      const client = (await response.json()) as Record<string, unknown>
      expect(client).toEqual({
        client_id: expect.stringMatching(/^mcp_[0-9a-f-]{36}$/) as string,
        client_id_issued_at: Math.floor(service.ctx.clock.now() / 1000),
        client_name: 'A client',
        redirect_uris: loopback,
        client_uri: 'https://client.example',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      })
      const query = authorizeQuery(makePkce(), {
        client_id: String(client.client_id),
        redirect_uri: 'http://localhost:1234/callback',
      })
      expect((await service.app.request(`/mcp/oauth/authorize?${query}`)).status).toBe(303)
    },
  )

  test('accepts a form too, with lists as repeated fields', async () => {
    const form = new URLSearchParams({ client_name: 'By form' })
    for (const address of ['http://127.0.0.1/a', 'https://b.example/'])
      form.append('redirect_uris', address)
    const response = await register(form)
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({
      client_name: 'By form',
      redirect_uris: ['http://127.0.0.1/a', 'https://b.example/'],
    })
  })

  test('null and an empty text count as absent', async () => {
    const asked = { redirect_uris: loopback, client_name: null, logo_uri: '', grant_types: null }
    const response = await register(asked)
    expect(response.status).toBe(201)
    const client = (await response.json()) as Record<string, unknown>
    expect(client).not.toHaveProperty('logo_uri')
    expect(client.client_name).toBe('An application without a name')
  })

  test.each([['\u3164'], ['\u2800 \u2800'], ['\u200b\u202e'], ['\u115f\ufe0f']])(
    'an invisible name, %j, counts as absent',
    async (client_name) => {
      const response = await register({ redirect_uris: loopback, client_name })
      expect(await response.json()).toMatchObject({ client_name: 'An application without a name' })
    },
  )

  test.each([
    ['https://app.example/back'],
    ['https://app.example:8443/back?x=1'],
    ['http://localhost/callback'],
    ['http://127.0.0.1:1/'],
    ['http://[::1]:80/x'],
    ['cursor://anysphere.cursor-mcp/oauth/callback'],
  ])('admits the redirect address %s', async (address) => {
    expect((await register({ redirect_uris: [address] })).status).toBe(201)
  })

  test.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['file:///etc/passwd'],
    ['ftp://app.example/'],
    ['myapp://callback'],
    ['http://app.example/back'],
    ['http://localhost.evil.example/'],
    ['http://localhost:65536/callback'],
    ['https://app.example:65536/back'],
    ['http://localhost@evil.example/'],
    ['http://10.0.0.1/callback'],
    ['https://user:password@app.example/'],
    ['https://app.example/#fragment'],
    ['https://app.example/a b'],
    ['https://app.example\\@evil.example/'],
    ['https://'],
    ['/callback'],
    [''],
    [`https://app.example/${'x'.repeat(2000)}`],
    ['https://app.example/é'],
    ['https://app.example/\nx'],
    ['https://app.example;script-src/back'],
    ['https://a,b.example/back'],
    ['https://*.example/back'],
    ['https://*/back'],
    ["https://a'b.example/back"],
    ['cursor://a;b/back'],
  ])('refuses the redirect address %s', async (address) => {
    expect(await errorOf({ redirect_uris: [address] })).toBe('400 invalid_redirect_uri')
  })

  test.each<[string, unknown, string]>([
    ['no redirect address', {}, '400 invalid_redirect_uri'],
    ['an empty list of them', { redirect_uris: [] }, '400 invalid_redirect_uri'],
    [
      'too many of them',
      { redirect_uris: Array(21).fill(loopback[0]) },
      '400 invalid_redirect_uri',
    ],
    ['one that is no string', { redirect_uris: [{ $ne: 1 }] }, '400 invalid_redirect_uri'],
    [
      'a name that is not a string',
      { redirect_uris: loopback, client_name: { a: 1 } },
      '400 invalid_client_metadata',
    ],
    [
      'XSS in logo_uri',
      { redirect_uris: loopback, logo_uri: 'javascript:alert(1)' },
      '400 invalid_client_metadata',
    ],
    [
      'only unsupported flows',
      { redirect_uris: loopback, grant_types: ['client_credentials'] },
      '400 invalid_client_metadata',
    ],
    [
      'only another response type',
      { redirect_uris: loopback, response_types: ['token'] },
      '400 invalid_client_metadata',
    ],
    ['a list for a body', [], '400 invalid_client_metadata'],
    ['what is not JSON', '{', '400 invalid_request'],
    ['an oversize body', { redirect_uris: loopback, x: 'x'.repeat(40_000) }, '413 invalid_request'],
  ])('refuses %s', async (_, body, refusal) => {
    expect(await errorOf(body)).toBe(refusal)
  })

  test('errors have readable messages', async () => {
    const response = await register({ redirect_uris: loopback, application_type: 'x' })
    const { error_description } = (await response.json()) as { error_description: string }
    expect(error_description).toContain("expected one of 'native'|'web'")
  })

  test('a scheme that a browser would run is refused, whatever schemes the operator lists', async () => {
    const lax = await open({ OAUTH_REDIRECT_SCHEMES: 'javascript,data,cursor' })
    const statusOf = async (address: string) =>
      (await lax.post('/mcp/oauth/register', { redirect_uris: [address] })).status
    expect(await statusOf('javascript:alert(1)')).toBe(400)
    expect(await statusOf('data:text/html,x')).toBe(400)
    expect(await statusOf('cursor://back')).toBe(201)
  })

  test('DCR spam: the number of registrations per address and hour is limited', async () => {
    const spammed = await open({ OAUTH_REGISTRATION_LIMIT: '3' })
    const once = () => spammed.post('/mcp/oauth/register', { redirect_uris: loopback })
    for (let count = 0; count < 3; count += 1) expect((await once()).status).toBe(201)
    const limited = await once()
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('consent is per client: the grant of one client does not apply to another', async () => {
    const first = (await (await register({ redirect_uris: loopback })).json()) as {
      client_id: string
    }
    const second = (await (await register({ redirect_uris: loopback })).json()) as {
      client_id: string
    }
    const browser = await service.signedIn()
    for (const { client_id } of [first, second]) {
      const query = authorizeQuery(makePkce(), { client_id, redirect_uri: loopback[0]! })
      await browser.open(`/mcp/oauth/authorize?${query}`)
      expect(browser.url.pathname).toBe('/mcp/oauth/consent')
      expect(await browser.submit('/mcp/oauth/consent', { decision: 'authorize' })).toContain(
        'code=',
      )
    }
  })
})
