import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '#config'
import { listen, type HttpService } from '#commands/serving/http-service.ts'
import { authenticateBearer } from '#features/grants/index.ts'
import { createUser } from '#features/identity/index.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { appOf } from '#test/support/identity/sign-in-service.ts'

const person = { email: 'ada@example.com', password: 'the password of ada', name: 'Ada' }
const redirectUri = 'http://127.0.0.1:5555/callback'
/** The server is on loopback, without a certificate. */
const http = { [oauth.allowInsecureRequests]: true }

describeInstance('oauth4webapi, unmodified', (open) => {
  let service: HttpService
  let instance: TestInstance
  let base: URL
  let server: oauth.AuthorizationServer
  let client: oauth.Client

  beforeAll(async () => {
    service = await listen({ ...readConfig({}), port: 0 })
    base = new URL(`http://localhost:${service.port}`)
    instance = await open({ BASE_URL: base.origin })
    service.serve(appOf(instance), instance.ctx.log)
    await createUser(instance.ctx, person)
    server = await discover()
    client = await register()
  })
  afterAll(() => service.stop(0))

  /** Discovers the server from the resource's address only (RFC 9728 §5). */
  async function discover() {
    const resource = new URL('/mcp', base)
    const response = await oauth.resourceDiscoveryRequest(resource, http)
    const { authorization_servers: issuers } = await oauth.processResourceDiscoveryResponse(
      resource,
      response,
    )
    const issuer = new URL(issuers![0]!)
    const metadata = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http })
    return await oauth.processDiscoveryResponse(issuer, metadata)
  }

  async function register() {
    const response = await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'oauth4webapi', redirect_uris: [redirectUri] },
      http,
    )
    return await oauth.processDynamicClientRegistrationResponse(response)
  }

  /** The steps of the person: sign-in and consent. */
  async function decide(address: URL, decision: string): Promise<URL> {
    const send = (url: string, init: RequestInit) => fetch(url, { ...init, redirect: 'manual' })
    const browser = new FormBrowser(send, { origin: base.origin })
    await browser.open(address.href)
    await browser.submit('/login', { email: person.email, password: person.password })
    return new URL((await browser.submit('/mcp/oauth/consent', { decision }))!)
  }

  async function ask(decision: string, scope = '*') {
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const address = new URL(server.authorization_endpoint!)
    const query = {
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope,
      state,
      resource: new URL('/mcp', base).href,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    const back = await decide(address, decision)
    // Checks the state, and the issuer against the metadata (RFC 9207).
    return { verifier, parameters: oauth.validateAuthResponse(server, client, back, state) }
  }

  async function obtain(scope?: string) {
    const { verifier, parameters } = await ask('authorize', scope)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      http,
    )
    return await oauth.processAuthorizationCodeResponse(server, client, response)
  }

  test('discovers, registers, passes consent and gets tokens that the service accepts', async () => {
    const tokens = await obtain('apps:read apps:write')
    expect(tokens).toMatchObject({ expires_in: 3600, scope: 'apps:read apps:write' })
    const { actor } = await authenticateBearer(instance.ctx, tokens.access_token)
    expect(actor.via).toMatchObject({ kind: 'grant', client: 'oauth4webapi' })
  })

  test('receives a denial as its own error', async () => {
    await expect(ask('deny')).rejects.toMatchObject({ error: 'access_denied' })
  })

  test('refreshes, and the old pair is invalid', async () => {
    const first = await obtain()
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      first.refresh_token!,
      http,
    )
    const second = await oauth.processRefreshTokenResponse(server, client, response)
    await authenticateBearer(instance.ctx, second.access_token)
    await expect(authenticateBearer(instance.ctx, first.access_token)).rejects.toMatchObject({
      code: 'token_unknown',
    })
    const again = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      first.refresh_token!,
      http,
    )
    await expect(oauth.processRefreshTokenResponse(server, client, again)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('revokes the grant completely', async () => {
    const tokens = await obtain()
    const response = await oauth.revocationRequest(
      server,
      client,
      oauth.None(),
      tokens.refresh_token!,
      http,
    )
    expect(await oauth.processRevocationResponse(response)).toBeUndefined()
    await expect(authenticateBearer(instance.ctx, tokens.access_token)).rejects.toMatchObject({
      code: 'token_unknown',
    })
  })

  test('reads the address of the metadata from the service’s challenge', async () => {
    const response = await fetch(new URL('/mcp', base), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${base.origin}/.well-known/oauth-protected-resource/mcp"`,
    )
  })
})
