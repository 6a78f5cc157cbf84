import { beforeAll, expect, test } from 'vitest'
import { makePkce } from '#test/support/identity/oauth-flow.ts'
import {
  authorizeQuery,
  baseUrl,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const server = '/.well-known/oauth-authorization-server'
const resource = '/.well-known/oauth-protected-resource'

describeSignIn('metadata', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const read = async (path: string, headers: Record<string, string> = {}, from = service) => {
    const response = await from.app.request(path, { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    return (await response.json()) as Record<string, unknown>
  }

  test('of the authorization server names every endpoint under the base address', async () => {
    expect(await read(server)).toEqual({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/mcp/oauth/authorize`,
      token_endpoint: `${baseUrl}/mcp/oauth/token`,
      registration_endpoint: `${baseUrl}/mcp/oauth/register`,
      revocation_endpoint: `${baseUrl}/mcp/oauth/revoke`,
      scopes_supported: [
        'apps:read',
        'apps:write',
        'knowledge:read',
        'knowledge:write',
        'actions:read',
        'actions:write',
        'analytics:read',
        'workspace:read',
        'workspace:write',
        'billing:read',
        '*',
      ],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
      protected_resources: [`${baseUrl}/mcp`],
    })
  })

  test.each([resource, `${resource}/mcp`])('of the resource is at %s', async (path) => {
    expect(await read(path)).toEqual({
      resource: `${baseUrl}/mcp`,
      authorization_servers: [baseUrl],
      scopes_supported: ['*'],
      bearer_methods_supported: ['header'],
      resource_name: 'Parley',
    })
  })

  test('client metadata documents are offered only if the operator enabled them', async () => {
    const offering = await open({ OAUTH_CLIENT_DOCUMENTS: 'true' })
    const metadata = await read(server, {}, offering)
    expect(metadata.client_id_metadata_document_supported).toBe(true)
  })

  test('accepts GET and preflights from any origin', async () => {
    const preflight = await service.app.request(server, {
      method: 'OPTIONS',
      headers: { origin: 'https://inspector.example', 'access-control-request-method': 'GET' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET,HEAD')
    expect((await service.app.request(server, { method: 'POST' })).status).toBe(405)
  })

  test('pages of every site may call the token endpoint and read its errors', async () => {
    const headers = {
      origin: 'https://inspector.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,mcp-protocol-version',
    }
    const address = '/mcp/oauth/token'
    const preflight = await service.app.request(address, { method: 'OPTIONS', headers })
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type,mcp-protocol-version',
    })
    const refused = await service.post(address, {}, { origin: headers.origin })
    expect(refused.status).toBe(400)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(refused.headers.get('access-control-expose-headers')).toBe(
      'WWW-Authenticate,Retry-After',
    )
  })

  test('an unknown path below the authorization server gets an error of RFC 6749', async () => {
    const response = await service.app.request('/mcp/oauth/userinfo', { method: 'POST' })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: 'There is nothing here',
    })
  })

  test('host-header poisoning of metadata: no header changes a byte of it', async () => {
    for (const path of [server, resource]) {
      const honest = await read(path)
      const poisoned = await read(path, {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example;proto=https',
        'x-original-url': 'https://evil.example/',
      })
      expect(poisoned).toEqual(honest)
    }
    const response = await service.app.request(
      `http://evil.example/mcp/oauth/authorize?${authorizeQuery(makePkce())}`,
      { headers: { host: 'evil.example' } },
    )
    expect(response.headers.get('location')).toMatch(/^\/mcp\/oauth\/consent/)
  })

  test('under a base path is before and after the path, whether a proxy strips it or not', async () => {
    const base = 'https://example.com/parley'
    const based = await open({ BASE_URL: base })
    for (const path of [server, `${server}/parley`, `/parley${server}`]) {
      const metadata = await read(path, {}, based)
      expect(metadata.issuer).toBe(base)
      expect(metadata.token_endpoint).toBe(`${base}/mcp/oauth/token`)
    }
    for (const path of [`${resource}/parley/mcp`, `/parley${resource}`, `/parley${resource}/mcp`]) {
      const metadata = await read(path, {}, based)
      expect(metadata).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] })
    }
    const asked = `/parley/mcp/oauth/authorize?${authorizeQuery(makePkce())}`
    const browser = based.browser()
    await browser.open(asked)
    expect(browser.url.pathname).toBe('/parley/login')
    const { email, password } = based.ada
    await browser.submit('/parley/login', { email, password })
    expect(browser.url.pathname).toBe('/parley/mcp/oauth/consent')
    const back = await browser.submit('/parley/mcp/oauth/consent', { decision: 'authorize' })
    expect(new URL(back!).searchParams.get('iss')).toBe(base)
  })
})
