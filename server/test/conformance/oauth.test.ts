import { beforeAll, expect } from 'vitest'
import {
  authorizeQuery,
  clientId,
  describeSignIn,
  obtainCode,
  redemptionBody,
  redirectUri,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { makePkce } from '#test/support/identity/oauth-flow.ts'
import { verifies } from './verifies.ts'

interface TokenBody {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
}

const day = 86_400_000
const authorizePath = '/mcp/oauth/authorize'

describeSignIn('OAuth of the MCP server in the interface', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
  })

  async function tokens(changes: Readonly<Record<string, string>> = {}): Promise<TokenBody> {
    const flow = await obtainCode(await service.signedIn(), changes)
    return await bodyOf(service.post('/mcp/oauth/token', redemptionBody(flow)))
  }

  async function bodyOf(response: Promise<Response>): Promise<TokenBody> {
    const answered = await response
    expect(answered.status).toBe(200)
    return (await answered.json()) as TokenBody // RFC 6749 §5.1
  }

  async function refreshed(refresh_token: string): Promise<Response> {
    const body = { grant_type: 'refresh_token', refresh_token, client_id: clientId }
    return await service.post('/mcp/oauth/token', body)
  }

  async function mcp(token: string, tool = 'list_apps'): Promise<Response> {
    const params = { name: tool, arguments: {} }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    return await service.post('/mcp', body, { authorization: `Bearer ${token}` })
  }

  verifies(
    [
      'oauth.authorize',
      'oauth.token',
      'oauth.token.exchange',
      'oauth.authorize.client-id',
      'oauth.authorize.redirect-uri',
      'oauth.authorize.response-type',
      'oauth.authorize.scope',
      'auth.exchange',
      'auth.no-secret',
      'auth.bearer',
      'mcp.methods',
    ],
    async () => {
      // The client chooses the port, and the exchange uses the same one.
      const redirect_uri = 'http://localhost:50123/callback'
      const flow = await obtainCode(await service.signedIn(), { redirect_uri })
      const redemption = { ...redemptionBody(flow), redirect_uri }
      expect((await service.post('/mcp/oauth/token', redemption)).status).toBe(200)
      const { access_token, token_type, scope } = await tokens()
      expect({ token_type, scope }).toEqual({ token_type: 'Bearer', scope: '*' })
      expect((await mcp(access_token)).status).toBe(200)
    },
  )

  verifies(['token.access.prefix', 'token.refresh.prefix'], async () => {
    const { access_token, refresh_token } = await tokens()
    expect(access_token).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
    expect(refresh_token).toMatch(/^svc_rt_[A-Za-z0-9_-]{43}$/)
  })

  verifies(
    ['token.access.lifetime', 'state.access-expired', 'condition.authentication-required'],
    async () => {
      const { access_token, refresh_token, expires_in } = await tokens()
      expect(expires_in).toBe(3600)
      service.advance(3_600_000 - 1)
      expect((await mcp(access_token)).status).toBe(200)
      service.advance(1)
      const refused = await mcp(access_token)
      expect(refused.status).toBe(401)
      expect(await refused.json()).toMatchObject({ error: { message: 'Authentication required' } })
      const next = await bodyOf(refreshed(refresh_token))
      expect((await mcp(next.access_token)).status).toBe(200)
    },
  )

  verifies(['token.refresh.lifetime', 'state.refresh-expired'], async () => {
    const early = await tokens()
    service.advance(30 * day - 1)
    expect((await refreshed(early.refresh_token)).status).toBe(200)
    const late = await tokens()
    service.advance(30 * day)
    const refused = await refreshed(late.refresh_token)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: 'invalid_grant' })
  })

  verifies(['state.rotated', 'oauth.token.refresh'], async () => {
    const first = await tokens()
    const second = await bodyOf(refreshed(first.refresh_token))
    expect(second.access_token).not.toBe(first.access_token)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect((await mcp(first.access_token)).status).toBe(401)
    expect((await refreshed(first.refresh_token)).status).toBe(400)
    expect((await mcp(second.access_token)).status).toBe(200)
  })

  verifies(['oauth.revoke', 'oauth.revoke.body', 'state.revoked'], async () => {
    const { access_token, refresh_token } = await tokens()
    const body = { token: refresh_token, token_type_hint: 'refresh_token' }
    expect((await service.post('/mcp/oauth/revoke', body)).status).toBe(200)
    expect((await refreshed(refresh_token)).status).toBe(400)
    expect((await mcp(access_token)).status).toBe(401)
  })

  verifies('oauth.register', async () => {
    const body = { client_name: 'A new client', redirect_uris: ['http://localhost:4567/callback'] }
    const response = await service.post('/mcp/oauth/register', body)
    expect(response.status).toBe(201)
    const { client_id } = (await response.json()) as { client_id: string } // RFC 7591 §3.2.1
    const browser = await service.signedIn()
    await browser.open(`${authorizePath}?${authorizeQuery(makePkce(), { client_id })}`)
    expect(browser.html).toContain('A new client')
  })

  verifies('oauth.discovery', async () => {
    const response = await service.app.request('/.well-known/oauth-authorization-server')
    expect(response.status).toBe(200)
    const base = 'http://localhost:3000'
    expect(await response.json()).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/mcp/oauth/authorize`,
      token_endpoint: `${base}/mcp/oauth/token`,
      registration_endpoint: `${base}/mcp/oauth/register`,
      revocation_endpoint: `${base}/mcp/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
    })
  })

  verifies('oauth.authorize.state', async () => {
    const browser = await service.signedIn()
    const state = 'a state / with=odd & characters'
    await browser.open(`${authorizePath}?${authorizeQuery(makePkce(), { state })}`)
    const back = await browser.submit('/mcp/oauth/consent', { decision: 'authorize' })
    expect(new URL(String(back)).searchParams.get('state')).toBe(state)
  })

  verifies(['oauth.authorize.challenge', 'oauth.authorize.method'], async () => {
    const browser = await service.signedIn()
    for (const changes of [
      { code_challenge_method: 'plain' },
      { code_challenge_method: null },
      { code_challenge: null },
      { code_challenge: 'short' },
    ]) {
      const back = await browser.open(`${authorizePath}?${authorizeQuery(makePkce(), changes)}`)
      expect(new URL(String(back)).searchParams.get('error')).toBe('invalid_request')
    }
    const flow = await obtainCode(browser)
    const body = { ...redemptionBody(flow), code_verifier: makePkce().verifier }
    expect((await service.post('/mcp/oauth/token', body)).status).toBe(400)
  })

  verifies('oauth.token.redirect-uri', async () => {
    const flow = await obtainCode(await service.signedIn())
    const body = { ...redemptionBody(flow), redirect_uri: 'http://localhost:1/callback' }
    const refused = await service.post('/mcp/oauth/token', body)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: 'invalid_grant' })
  })

  verifies(['auth.consent', 'auth.consent.names'], async () => {
    const browser = service.browser()
    const link = `${authorizePath}?${authorizeQuery(makePkce(), { scope: 'apps:read billing:read' })}`
    await browser.open(link)
    expect(browser.url.pathname).toBe('/login')
    const { email, password } = service.ada
    await browser.submit('/login', { email, password })
    const { html } = browser
    for (const text of [email, 'View agents', 'View subscription and credits'])
      expect(html).toContain(text)
    expect(html).not.toContain('Create, update, delete agents')
    expect(html).toMatch(/<dt>Application<\/dt>\s*<dd>\s*\S+/)
    expect([...html.matchAll(/<button[^>]*>\s*([^<]*?)\s*</g)].map(([, text]) => text)).toEqual(
      expect.arrayContaining(['Authorize', 'Deny']),
    )
    const denied = await browser.submit('/mcp/oauth/consent', { decision: 'deny' })
    expect(denied).toContain(redirectUri)
    expect(new URL(String(denied)).searchParams.get('error')).toBe('access_denied')
  })

  verifies('auth.five-minutes', async () => {
    const flow = await obtainCode(await service.signedIn())
    service.advance(5 * 60_000)
    expect((await service.post('/mcp/oauth/token', redemptionBody(flow))).status).toBe(400)
    const inTime = await obtainCode(await service.signedIn())
    service.advance(5 * 60_000 - 1)
    expect((await service.post('/mcp/oauth/token', redemptionBody(inTime))).status).toBe(200)
  })

  verifies('scope.shared', async () => {
    const { access_token, scope } = await tokens({ scope: 'apps:read' })
    expect(scope).toBe('apps:read')
    expect((await mcp(access_token, 'list_apps')).status).toBe(200)
    expect((await mcp(access_token, 'list_workspaces')).status).toBe(403)
  })
})
