import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The person who signs in next at the provider, and their claims. */
export interface Claims {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

export interface OpenIdServer {
  readonly issuer: string
  /** The person that the provider signs in from now on. */
  person: Claims
  /** Wrong claims for the next ID token. */
  tamper: Readonly<Record<string, unknown>>
  /** True returns the e-mail only at the userinfo endpoint. */
  hidesEmail: boolean
  /** The id of the provider's session in the next ID token. */
  sid: string | undefined
  /** Every code and token that it issued. */
  readonly issued: readonly string[]
  /** A token that the provider signs, with the given changes to claims and header. */
  logoutToken(
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): string
  stop(): Promise<void>
}

interface Journey {
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
}

export const openIdClient = { id: 'parley', secret: 'the secret of the client' }

/** An OpenID provider on loopback: discovery, keys, authorization code with PKCE, userinfo. */
export async function startOpenIdServer(): Promise<OpenIdServer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const journeys = new Map<string, Journey>()
  const state = {
    person: { sub: 'nobody' } as Claims,
    tamper: {},
    hidesEmail: false,
    sid: undefined as string | undefined,
  }
  let issuer = ''
  const issued: string[] = []

  function sign(claims: Record<string, unknown>, header = {}): string {
    const parts = [{ alg: 'RS256', kid: 'key-1', typ: 'JWT', ...header }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const signed = createSign('RSA-SHA256').update(parts.join('.')).sign(privateKey, 'base64url')
    return `${parts.join('.')}.${signed}`
  }

  function authorize(url: URL, response: ServerResponse): void {
    const code = randomBytes(16).toString('hex')
    issued.push(code)
    const query = (name: string) => url.searchParams.get(name) ?? ''
    journeys.set(code, {
      nonce: query('nonce'),
      challenge: query('code_challenge'),
      redirectUri: query('redirect_uri'),
    })
    const back = new URL(query('redirect_uri'))
    back.searchParams.set('code', code)
    back.searchParams.set('state', query('state'))
    back.searchParams.set('iss', issuer)
    response.writeHead(302, { location: back.href }).end()
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(request))
    const journey = journeys.get(form.get('code') ?? '')
    journeys.delete(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const isRight =
      journey !== undefined &&
      challenge === journey.challenge &&
      form.get('redirect_uri') === journey.redirectUri &&
      form.get('client_secret') === openIdClient.secret
    if (!isRight) return answer(response, 400, { error: 'invalid_grant' })
    const now = Math.floor(Date.now() / 1000)
    const { sub, ...profile } = state.person
    const id_token = sign({
      iss: issuer,
      aud: openIdClient.id,
      sub,
      nonce: journey.nonce,
      sid: state.sid,
      iat: now,
      exp: now + 60,
      ...(state.hidesEmail ? {} : profile),
      ...state.tamper,
    })
    const access_token = randomBytes(16).toString('hex')
    issued.push(access_token, id_token)
    answer(response, 200, { access_token, token_type: 'Bearer', expires_in: 60, id_token })
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === '/.well-known/openid-configuration')
      return answer(response, 200, metadata(issuer))
    if (url.pathname === '/keys') {
      const key = { ...publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256', use: 'sig' }
      return answer(response, 200, { keys: [key] })
    }
    if (url.pathname === '/authorize') return authorize(url, response)
    if (url.pathname === '/token') return void exchange(request, response)
    if (url.pathname === '/userinfo') return answer(response, 200, state.person)
    return answer(response, 404, {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP socket
  return Object.assign(state, {
    issuer,
    issued,
    logoutToken(claims: Readonly<Record<string, unknown>>, header = {}) {
      const now = Math.floor(Date.now() / 1000)
      const whole = {
        iss: issuer,
        aud: openIdClient.id,
        iat: now,
        exp: now + 120,
        jti: randomBytes(16).toString('hex'),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      }
      return sign(whole, { typ: 'logout+jwt', ...header })
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
    code_challenge_methods_supported: ['S256'],
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
