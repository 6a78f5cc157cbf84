import { beforeAll, describe, expect, test } from 'vitest'
import { registerClient } from '#features/grants/index.ts'
import { makePkce } from '#test/support/identity/oauth-flow.ts'
import {
  authorizeQuery,
  baseUrl,
  describeSignIn,
  redirectUri,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

type Changes = Readonly<Record<string, string | readonly string[] | null>>

describeSignIn('the authorization endpoint', (open) => {
  let service: SignInService
  let webClient: string

  beforeAll(async () => {
    service = await open()
    const { id } = await registerClient(service.ctx, {
      redirect_uris: ['https://app.example/back?tenant=1', 'cursor://anysphere.cursor-mcp/back'],
    })
    webClient = id
  })

  const ask = async (changes: Changes = {}, path = '/mcp/oauth/authorize') =>
    await service.app.request(`${path}?${authorizeQuery(makePkce(), changes)}`)
  const errorOf = (response: Response) => {
    expect(response.status).toBe(303)
    const { origin, pathname, searchParams } = new URL(response.headers.get('location')!)
    expect(origin + pathname).toBe(redirectUri)
    return Object.fromEntries(searchParams)
  }

  test.each(['/mcp/oauth/authorize', '/authorize'])('%s begins with the consent', async (path) => {
    const response = await ask({}, path)
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toMatch(
      /^\/mcp\/oauth\/consent\?request=[A-Za-z0-9_-]{43}$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('accepts only GET', async () => {
    const response = await service.post('/mcp/oauth/authorize', new URLSearchParams())
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })

  describe('open redirect before validation: nothing unknown is ever redirected to', () => {
    test.each<[string, Changes]>([
      ['an unknown client', { client_id: 'nobody', redirect_uri: 'https://evil.example/' }],
      ['no client', { client_id: null }],
      ['no redirect address', { redirect_uri: null }],
      ['two clients', { client_id: ['svc_mcp_cli', 'nobody'] }],
      ['two redirect addresses', { redirect_uri: [redirectUri, 'https://evil.example/'] }],
      ['an unregistered address', { redirect_uri: 'https://evil.example/callback' }],
      ['a client id that is an address, with the switch off', { client_id: 'https://a.example/c' }],
    ])('%s is answered with a page', async (_, changes) => {
      const response = await ask({ ...changes, response_type: 'token' })
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
      expect(response.headers.get('content-type')).toContain('text/html')
      expect(await response.text()).not.toContain('evil.example')
    })
  })

  describe('redirect_uri variants', () => {
    test.each([
      'http://localhost:1/callback',
      'http://localhost/callback',
      'http://127.0.0.1:65535/callback',
      'http://[::1]:4567/callback',
    ])('%s is the command-line client’s', async (redirect_uri) => {
      expect((await ask({ redirect_uri })).status).toBe(303)
    })

    test.each([
      ['a path suffix', 'http://localhost:4567/callback/more'],
      ['a path prefix', 'http://localhost:4567/callbac'],
      ['dots', 'http://localhost:4567/x/../callback'],
      ['encoded dots', 'http://localhost:4567/%2e%2e/callback'],
      ['an encoded letter', 'http://localhost:4567/%63allback'],
      ['a query', 'http://localhost:4567/callback?x=1'],
      ['a fragment', 'http://localhost:4567/callback#x'],
      ['a user', 'http://localhost@evil.example/callback'],
      ['a user and a port', 'http://localhost:4567@evil.example/callback'],
      ['a subdomain', 'http://localhost.evil.example/callback'],
      ['a root dot', 'http://localhost.:4567/callback'],
      ['another loopback address', 'http://127.0.0.2:4567/callback'],
      ['a short loopback address', 'http://127.1:4567/callback'],
      ['a decimal address', 'http://2130706433:4567/callback'],
      ['a long IPv6 address', 'http://[0:0:0:0:0:0:0:1]:4567/callback'],
      ['upper case host', 'http://LOCALHOST:4567/callback'],
      ['upper case scheme', 'HTTP://localhost:4567/callback'],
      ['upper case path', 'http://localhost:4567/Callback'],
      ['https', 'https://localhost:4567/callback'],
      ['port 0', 'http://localhost:0/callback'],
      ['a port too high', 'http://localhost:65536/callback'],
      ['a port that is none', 'http://localhost:80a/callback'],
      ['a backslash', 'http://localhost\\@evil.example/callback'],
      ['a leading space', ' http://localhost:4567/callback'],
      ['a line break', 'http://localhost:4567/callback\r\nX: y'],
      ['a script', 'javascript:alert(1)'],
      ['a path alone', '/callback'],
    ])('%s is refused', async (_, redirect_uri) => {
      const response = await ask({ redirect_uri })
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
    })

    test.each([
      ['another port on https', 'https://app.example:444/back?tenant=1'],
      ['the default port written out', 'https://app.example:443/back?tenant=1'],
      ['another query', 'https://app.example/back?tenant=2'],
      ['no query', 'https://app.example/back'],
      ['upper case host on https', 'https://APP.example/back?tenant=1'],
      ['another host of a private scheme', 'cursor://elsewhere/back'],
    ])('%s is refused', async (_, redirect_uri) => {
      expect((await ask({ client_id: webClient, redirect_uri })).status).toBe(400)
    })

    test('a host that could change a policy is refused, although an earlier release registered it', async () => {
      const redirect_uri = 'https://app.example;script-src/back'
      const { id } = await registerClient(service.ctx, { redirect_uris: ['https://a.example/b'] })
      const metadata_json = JSON.stringify({ client_name: 'Old', redirect_uris: [redirect_uri] })
      await service.ctx.db.write((tx) =>
        tx.updateTable('oauth_clients').set({ metadata_json }).where('id', '=', id).execute(),
      )
      expect((await ask({ client_id: id, redirect_uri })).status).toBe(400)
    })

    test('an address keeps its own query, and a private scheme works', async () => {
      const tenant = 'http://localhost:4567/back?tenant=1'
      const { id } = await registerClient(service.ctx, { redirect_uris: [tenant] })
      const wrong = { response_type: 'token' }
      const withQuery = await ask({ client_id: id, redirect_uri: tenant, ...wrong })
      expect(withQuery.headers.get('location')).toMatch(
        /^http:\/\/localhost:4567\/back\?tenant=1&error=unsupported_response_type&/,
      )
      const cursor = 'cursor://anysphere.cursor-mcp/back'
      const own = await ask({ client_id: webClient, redirect_uri: cursor, ...wrong })
      expect(own.headers.get('location')).toMatch(
        /^cursor:\/\/.*\?error=unsupported_response_type&/,
      )
    })
  })

  describe('errors go to the client, with state and iss', () => {
    test.each<[string, Changes, string]>([
      ['missing PKCE', { code_challenge: null }, 'invalid_request'],
      ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['PKCE downgrade: no method means plain', { code_challenge_method: null }, 'invalid_request'],
      ['short PKCE', { code_challenge: 'x'.repeat(42) }, 'invalid_request'],
      ['long PKCE', { code_challenge: 'x'.repeat(44) }, 'invalid_request'],
      ['PKCE of other characters', { code_challenge: `${'x'.repeat(42)}=` }, 'invalid_request'],
      ['no response type', { response_type: null }, 'invalid_request'],
      ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
      ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['an unknown scope', { scope: 'apps:read admin' }, 'invalid_scope'],
      ['resource wrong', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
      ['one resource of two wrong', { resource: [baseUrl, 'urn:x'] }, 'invalid_target'],
      ['duplicate scope', { scope: ['*', 'apps:read'] }, 'invalid_request'],
      ['duplicate challenge', { code_challenge: ['x', 'y'] }, 'invalid_request'],
      ['an oversize parameter', { scope: 'apps:read '.repeat(500) }, 'invalid_request'],
      ['a control character', { scope: 'apps:read\0' }, 'invalid_request'],
    ])('%s', async (_, changes, error) => {
      const sent = errorOf(await ask(changes))
      expect(sent).toMatchObject({ error, state: 'the state', iss: baseUrl })
      expect(sent.error_description).toMatch(/^[\x20-\x7e]+$/)
    })

    test('an invalid state is not returned', async () => {
      for (const state of [['a', 'b'], 'x'.repeat(4097)]) {
        const sent = errorOf(await ask({ state }))
        expect(sent.error).toBe('invalid_request')
        expect(sent.state).toBeUndefined()
      }
    })
  })

  test('open redirect by a registered client: an invalid request does not send the person to its web site unasked', async () => {
    const redirect_uri = 'https://app.example/back?tenant=1'
    const response = await ask({ client_id: webClient, redirect_uri, scope: 'nonsense' })
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const html = await response.text()
    expect(html).toContain('There is no scope nonsense.')
    expect(html).toContain('Go to app.example</a>')
    const link = /href="(https:[^"]*)"/.exec(html)?.[1] ?? ''
    const sent = new URL(link.replaceAll('&amp;', '&'))
    expect(sent.origin + sent.pathname).toBe('https://app.example/back')
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      tenant: '1',
      error: 'invalid_scope',
      state: 'the state',
      iss: baseUrl,
    })
  })

  test.each([[baseUrl], [`${baseUrl}/`], [`${baseUrl}/mcp`], [`${baseUrl}/mcp/`]])(
    'resource %s is this service',
    async (resource) => {
      expect((await ask({ resource })).headers.get('location')).toContain('/consent?')
    },
  )

  test('no scope requests everything, and offline_access adds nothing', async () => {
    for (const scope of [null, '', 'offline_access']) {
      const browser = await service.signedIn()
      await browser.open(`/mcp/oauth/authorize?${authorizeQuery(makePkce(), { scope })}`)
      expect(browser.formOf('/mcp/oauth/consent').getAll('scope')).toHaveLength(10)
    }
  })

  test('a flood from one address is limited', async () => {
    const flooded = await open()
    const statuses = []
    for (let count = 0; count < 301; count += 1) {
      const response = await flooded.app.request('/mcp/oauth/authorize')
      statuses.push(response.status)
    }
    expect(statuses.at(-2)).toBe(400)
    expect(statuses.at(-1)).toBe(429)
  })

  test('OAUTH_AUTHORIZATION_LIMIT sets the limit', async () => {
    const strict = await open({ OAUTH_AUTHORIZATION_LIMIT: '2' })
    const begin = async () => (await strict.app.request('/mcp/oauth/authorize')).status
    expect([await begin(), await begin(), await begin()]).toEqual([400, 400, 429])
  })
})
