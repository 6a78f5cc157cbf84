import { beforeAll, describe, expect, test } from 'vitest'
import { makePkce } from '#test/support/identity/oauth-flow.ts'
import {
  clientId,
  describeSignIn,
  obtainCode,
  redemptionBody,
  redirectUri,
  type FlowCode,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

describeSignIn('the token endpoint', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const token = (body: unknown, headers = {}) => service.post('/mcp/oauth/token', body, headers)
  const obtain = async () => obtainCode(await service.signedIn())
  const obtainTokens = async () =>
    (await (await token(redemptionBody(await obtain()))).json()) as Tokens
  const refreshBody = (refresh_token: string) => ({
    grant_type: 'refresh_token',
    refresh_token,
    client_id: clientId,
  })
  const form = (body: object) => new URLSearchParams(Object.entries(body))
  const refusalOf = async (response: Response) => {
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { error } = (await response.json()) as { error: string }
    return `${response.status} ${error}`
  }

  test.each([
    ['JSON', (body: object) => body],
    ['a form', form],
  ])('answers %s with the pair and its lifetimes', async (_, encode) => {
    const response = await token(encode(redemptionBody(await obtain())))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('pragma')).toBe('no-cache')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual({
      access_token: expect.stringMatching(/^svc_at_[A-Za-z0-9_-]{43}$/) as string,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^svc_rt_[A-Za-z0-9_-]{43}$/) as string,
      scope: '*',
    })
  })

  test('refreshes by JSON and by form, at /mcp/oauth/token and at /token', async () => {
    let { refresh_token } = await obtainTokens()
    const encodings = [form, (body: object) => body]
    for (const path of ['/mcp/oauth/token', '/token'])
      for (const encode of encodings) {
        const body = { grant_type: 'refresh_token', refresh_token, client_id: clientId }
        const response = await service.post(path, encode(body))
        expect(response.status).toBe(200)
        refresh_token = ((await response.json()) as Tokens).refresh_token
      }
  })

  test('ignores unknown parameters, whatever their value (RFC 6749 §3.2)', async () => {
    const unknown = { nonce: 7, hints: ['a'], extra: { $ne: 1 }, long: 'x'.repeat(5000), nul: '\0' }
    const response = await token({ ...redemptionBody(await obtain()), ...unknown })
    expect(response.status).toBe(200)
  })

  test('lifetimes are the operator’s', async () => {
    const brief = await open({
      OAUTH_ACCESS_TOKEN_TTL_SECONDS: '60',
      OAUTH_REFRESH_TOKEN_TTL_SECONDS: '120',
    })
    const flow = await obtainCode(await brief.signedIn())
    const response = await brief.post('/mcp/oauth/token', redemptionBody(flow))
    const tokens = (await response.json()) as Tokens & { expires_in: number }
    expect(tokens.expires_in).toBe(60)
    brief.advance(120_000)
    const late = await brief.post('/mcp/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: clientId,
    })
    expect(await refusalOf(late)).toBe('400 invalid_grant')
  })

  describe('refuses', () => {
    const whole = {
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: 'v'.repeat(43),
    }

    test.each<[string, unknown, string]>([
      ['an unknown code', whole, '400 invalid_grant'],
      ['no grant type', { ...whole, grant_type: undefined }, '400 invalid_request'],
      ['another grant type', { ...whole, grant_type: 'password' }, '400 unsupported_grant_type'],
      ['no code', { ...whole, code: '' }, '400 invalid_request'],
      ['no verifier', { ...whole, code_verifier: undefined }, '400 invalid_request'],
      ['no client', { ...whole, client_id: undefined }, '400 invalid_request'],
      ['an unknown client', { ...whole, client_id: 'nobody' }, '401 invalid_client'],
      ['no redirect address', { ...whole, redirect_uri: undefined }, '400 invalid_request'],
      ['resource wrong', { ...whole, resource: 'https://evil.example' }, '400 invalid_target'],
      ['JSON type confusion: an operator', { ...whole, code: { $ne: 1 } }, '400 invalid_request'],
      ['JSON type confusion: a list', { ...whole, code: ['c'] }, '400 invalid_request'],
      ['JSON type confusion: a number', { ...whole, code: 7 }, '400 invalid_request'],
      ['JSON type confusion: true', { ...whole, client_id: true }, '400 invalid_request'],
      ['a list for a body', [whole], '400 invalid_request'],
      ['a string for a body', '"code"', '400 invalid_request'],
      ['null for a body', 'null', '400 invalid_request'],
      ['what is not JSON', '{', '400 invalid_request'],
      ['an oversize parameter', { ...whole, code: 'c'.repeat(4097) }, '400 invalid_request'],
      ['an oversize body', { ...whole, extra: 'x'.repeat(70_000) }, '413 invalid_request'],
      ['a control character', { ...whole, code: 'c\0' }, '400 invalid_request'],
      ['an unpaired surrogate', { ...whole, code: 'c\ud800' }, '400 invalid_request'],
    ])('%s', async (_, body, refusal) => {
      expect(await refusalOf(await token(body))).toBe(refusal)
    })

    test('a body of another shape, with a matching message', async () => {
      const { error_description } = (await (await token([whole])).json()) as {
        error_description: string
      }
      expect(error_description).toBe('The body must be a form or a JSON object')
    })

    test('duplicate parameters', async () => {
      const twice = form(whole)
      twice.append('code', 'd')
      expect(await refusalOf(await token(twice))).toBe('400 invalid_request')
    })

    test('another content type', async () => {
      const response = await token('x', { 'content-type': 'text/plain' })
      expect(await refusalOf(response)).toBe('415 invalid_request')
    })

    test('a client that authenticates: there are no secrets here', async () => {
      const basic = { authorization: `Basic ${Buffer.from('svc_mcp_cli:').toString('base64')}` }
      const response = await token(whole, basic)
      expect(response.headers.get('www-authenticate')).toContain('Basic')
      expect(await refusalOf(response)).toBe('401 invalid_client')
    })

    test('GET', async () => {
      const response = await service.app.request('/mcp/oauth/token?grant_type=refresh_token')
      expect(response.headers.get('allow')).toBe('POST, OPTIONS')
      expect(await refusalOf(response)).toBe('405 invalid_request')
    })

    test('PKCE downgrade: a wrong verifier invalidates the code', async () => {
      const flow = await obtain()
      const wrong = { ...redemptionBody(flow), code_verifier: makePkce().verifier }
      expect(await refusalOf(await token(wrong))).toBe('400 invalid_grant')
      expect(await refusalOf(await token(redemptionBody(flow)))).toBe('400 invalid_grant')
    })

    test('scope escalation at refresh', async () => {
      const browser = await service.signedIn()
      const flow = await obtainCode(browser, { scope: 'apps:read' })
      const { refresh_token } = (await (await token(redemptionBody(flow))).json()) as Tokens
      const widened = {
        grant_type: 'refresh_token',
        refresh_token,
        client_id: clientId,
        scope: '*',
      }
      expect(await refusalOf(await token(widened))).toBe('400 invalid_scope')
    })
  })

  test('brute force on the token endpoint: 60 failures a minute from one address, then 429 for all', async () => {
    const guessed = await open()
    const flow = await obtainCode(await guessed.signedIn())
    const guess = () =>
      guessed.post('/mcp/oauth/token', { ...redemptionBody(flow), code: 'x'.repeat(43) })
    for (let count = 0; count < 60; count += 1) expect((await guess()).status).toBe(400)
    const limited = await guess()
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusalOf(limited)).toBe('429 temporarily_unavailable')
    expect((await guessed.post('/mcp/oauth/token', redemptionBody(flow))).status).toBe(429)
  })

  test('concurrent brute force: of a hundred guesses at once, sixty are checked', async () => {
    const guessed = await open()
    const guess = (_: unknown, n: number) =>
      guessed.post('/mcp/oauth/token', refreshBody(`guess ${n}`))
    const answers = await Promise.all(Array.from({ length: 100 }, guess))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40)
  })

  test('concurrent successful token calls pass, even if they exceed the limit of failures', async () => {
    const busy = await open({ OAUTH_FAILED_CALLS_LIMIT: '2' })
    const browser = await busy.signedIn()
    const flows: FlowCode[] = []
    for (let count = 0; count < 8; count += 1) flows.push(await obtainCode(browser))
    const redeem = (flow: FlowCode) => busy.post('/mcp/oauth/token', redemptionBody(flow))
    const answers = await Promise.all(flows.map(redeem))
    expect(answers.map(({ status }) => status)).toEqual(flows.map(() => 200))
    // And none of them remains in the count.
    const guess = async () => (await busy.post('/mcp/oauth/token', {})).status
    expect([await guess(), await guess(), await guess()]).toEqual([400, 400, 429])
  })

  test('OAUTH_FAILED_CALLS_LIMIT sets the number of failures', async () => {
    const strict = await open({ OAUTH_FAILED_CALLS_LIMIT: '2' })
    const guess = async () => (await strict.post('/mcp/oauth/token', {})).status
    expect([await guess(), await guess(), await guess()]).toEqual([400, 400, 429])
  })

  // Each call waits for the database, and the machine may be busy.
  test('successful token calls are not counted as failures', { timeout: 60_000 }, async () => {
    const busy = await open()
    const flow = await obtainCode(await busy.signedIn())
    const first = await busy.post('/mcp/oauth/token', redemptionBody(flow))
    let { refresh_token } = (await first.json()) as Tokens
    for (let count = 0; count < 65; count += 1) {
      const body = { grant_type: 'refresh_token', refresh_token, client_id: clientId }
      const response = await busy.post('/mcp/oauth/token', body)
      expect(response.status).toBe(200)
      refresh_token = ((await response.json()) as Tokens).refresh_token
    }
  })

  describe('the revocation endpoint', () => {
    const revoke = (body: unknown) => service.post('/mcp/oauth/revoke', body)
    const refresh = async (refresh_token: string) =>
      (await token({ grant_type: 'refresh_token', refresh_token, client_id: clientId })).status

    test.each([
      ['JSON', (body: object) => body],
      ['a form', form],
    ])(
      'accepts %s without a client id and ends the grant of a refresh token',
      async (_, encode) => {
        const tokens = await obtainTokens()
        const response = await revoke(
          encode({ token: tokens.refresh_token, token_type_hint: 'refresh_token' }),
        )
        expect(response.status).toBe(200)
        expect(await response.json()).toEqual({})
        expect(await refresh(tokens.refresh_token)).toBe(400)
      },
    )

    test('finds a token whatever the hint', async () => {
      const tokens = await obtainTokens()
      await revoke({ token: tokens.refresh_token, token_type_hint: 'access_token' })
      expect(await refresh(tokens.refresh_token)).toBe(400)
    })

    test('keeps the refresh token when an access token is revoked', async () => {
      const tokens = await obtainTokens()
      await revoke({ token: tokens.access_token })
      expect(await refresh(tokens.refresh_token)).toBe(200)
    })

    test('answers an unknown token like a revoked one, and ignores another client’s token', async () => {
      const tokens = await obtainTokens()
      expect((await revoke({ token: 'svc_rt_unknown' })).status).toBe(200)
      const foreign = await revoke({ token: tokens.refresh_token, client_id: 'mcp_other' })
      expect(foreign.status).toBe(200)
      expect(await refresh(tokens.refresh_token)).toBe(200)
    })

    test('refuses a request without a token', async () => {
      expect(await refusalOf(await revoke({}))).toBe('400 invalid_request')
    })
  })
})
