import { beforeAll, describe, expect, test } from 'vitest'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { mintKey, tokenPrefixes } from '#kernel/tokens.ts'
import { mcpSurface } from '#surfaces/mcp/index.ts'
import { answerOf, describeMcp, mcpBaseUrl, type McpService } from '#test/support/mcp-service.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }
const unknownKey = mintKey(tokenPrefixes.developerKey).token

function limitsIn(response: Response) {
  const read = (name: string) => response.headers.get(`x-ratelimit-${name}`)
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') }
}

describeMcp('X-RateLimit-* on every answer', (open) => {
  let service: McpService

  beforeAll(async () => {
    service = await open({
      environment: {
        MCP_FAILED_CALLS_LIMIT: '50',
        MCP_ALLOWED_ORIGINS: 'https://friend.example',
        MAX_BODY_BYTES: '2000',
      },
    })
  })

  const at = (path: string, init: RequestInit = {}, host = mcpBaseUrl) =>
    service.app.request(`${host}${path}`, init)
  const withHeaders = (headers: Record<string, string>) => service.post(ping, { headers })

  test.each<[string, number, string, () => Response | Promise<Response>]>([
    ['a good call', 200, '120', () => service.post(ping)],
    ['a notification', 202, '120', () => service.post({ ...ping, id: undefined })],
    ['no JSON', 400, '120', () => service.post('{')],
    ['an unknown toolset', 400, '120', () => service.post(ping, { query: '?toolsets=none' })],
    ['an unknown method', 404, '120', () => service.modern('no/such')],
    ['a body too large', 413, '120', () => service.post({ ...ping, params: 'x'.repeat(3000) })],
    ['text/plain', 415, '120', () => withHeaders({ 'content-type': 'text/plain' })],
    ['no token', 401, '50', () => withHeaders({ authorization: '' })],
    ['a malformed token', 401, '50', () => service.post(ping, { key: 'nonsense' })],
    ['an unknown token', 401, '50', () => service.post(ping, { key: unknownKey })],
    ['a foreign origin', 403, '50', () => withHeaders({ origin: 'https://evil.example' })],
    [
      'a foreign host',
      403,
      '50',
      () => at('/mcp', { method: 'POST', body: '{}' }, 'http://evil.example'),
    ],
    ['GET', 405, '50', () => at('/mcp')],
    ['DELETE', 405, '50', () => at('/mcp', { method: 'DELETE' })],
    ['another path', 404, '50', () => at('/mcp/elsewhere', { method: 'POST', body: '{}' })],
    [
      'a preflight',
      204,
      '50',
      () => at('/mcp', { method: 'OPTIONS', headers: { origin: 'https://friend.example' } }),
    ],
  ])('%s: %i of %s a minute', async (_, status, limit, ask) => {
    const response = await ask()
    expect(response.status).toBe(status)
    expect(limitsIn(response)).toEqual({
      limit,
      remaining: expect.stringMatching(/^\d+$/),
      reset: expect.stringMatching(/^\d+$/),
    })
    expect(Number(limitsIn(response).reset)).toBeGreaterThan(Date.now() / 1000)
  })

  test('a call that misses its scope: that of the plan', async () => {
    const key = await service.makeKey(service.owner, { scopes: ['apps:read'] })
    const create = { name: 'create_app', arguments: { name: 'x' } }
    const response = await service.post({ ...ping, method: 'tools/call', params: create }, { key })
    expect([response.status, limitsIn(response).limit]).toEqual([403, '120'])
  })

  test('an internal error: that of the address', async () => {
    const broken = await open()
    await broken.ctx.db.write((tx) => tx.schema.alterTable('api_keys').renameTo('lost').execute())
    const response = await broken.post(ping)
    expect([response.status, limitsIn(response).limit]).toEqual([500, '60'])
  })

  test('a plan without a limit: a number that clients never reach', async () => {
    const { post } = await open({ plan: 'enterprise' })
    for (let round = 0; round < 3; round += 1) {
      const { limit, remaining } = limitsIn(await post(ping))
      expect([limit, remaining]).toEqual(['2147483647', '2147483647'])
    }
  })
})

describeMcp('calls that are refused before their caller is known', (open) => {
  const environment = { MCP_FAILED_CALLS_LIMIT: '3' }

  test('count for the client’s address, and are 429 past its limit', async () => {
    const { post, app, key } = await open({ environment })
    for (const left of ['2', '1', '0']) {
      const response = await post(ping, { key: unknownKey })
      expect([response.status, limitsIn(response).remaining]).toEqual([401, left])
    }
    const refused = await post(ping, { key: 'nonsense' })
    expect([refused.status, limitsIn(refused).remaining]).toEqual([429, '0'])
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect((await answerOf(refused)).error).toEqual({
      code: -32000,
      message: `Rate limit exceeded: 3 requests a minute; try again in ${seconds} s`,
    })
    // Requests that are not calls do not count, and callers with a valid key are not refused
    // because of them.
    expect((await app.request(`${mcpBaseUrl}/mcp`)).status).toBe(405)
    expect((await post(ping, { key })).status).toBe(200)
  })

  test('do not include successful calls', async () => {
    const { post } = await open({ environment })
    for (let round = 0; round < 5; round += 1) await post(ping)
    expect(limitsIn(await post(ping, { key: 'nonsense' })).remaining).toBe('2')
  })
})

describeMcp('calls whose caller cannot be looked up', (open) => {
  test('are 503 and do not count: they are not refusals', async () => {
    const { ctx, post } = await open({ environment: { MCP_FAILED_CALLS_LIMIT: '3' } })
    const prepared = () => {
      throw new Fault(commonFaults.database_unavailable)
    }
    const away = mcpSurface({ ...ctx, db: { ...ctx.db, prepared } }, { version: '0.0.0-test' })
    const headers = { authorization: `Bearer ${unknownKey}` }
    for (let round = 0; round < 5; round += 1)
      expect((await away.request('/', { method: 'POST', headers })).status).toBe(503)
    expect(limitsIn(await post(ping, { key: 'nonsense' })).remaining).toBe('2')
  })
})

describeMcp('the address of the server', (open) => {
  let service: McpService

  beforeAll(async () => {
    service = await open()
  })

  const authorized = () => ({
    authorization: `Bearer ${service.key}`,
    'content-type': 'application/json',
  })

  test('may end with a slash', async () => {
    const body = JSON.stringify({ ...ping, method: 'tools/list' })
    const init = { method: 'POST', headers: authorized(), body }
    const response = await service.app.request(`${mcpBaseUrl}/mcp/`, init)
    expect(response.status).toBe(200)
    expect((await answerOf(response)).result.tools).toBeInstanceOf(Array)
    expect((await service.app.request(`${mcpBaseUrl}/mcp/`)).status).toBe(405)
  })

  test.each(['/mcp/sse', '/mcp/messages/5', '/mcp//'])(
    'is the only one: %s is 404, as JSON-RPC',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const response = await service.app.request(`${mcpBaseUrl}${path}`, {
          method,
          headers: authorized(),
        })
        expect(response.status).toBe(404)
        expect(await answerOf(response)).toEqual({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32000, message: 'There is nothing here: the MCP server is at /mcp' },
        })
      }
    },
  )
})

describeMcp('parameters that are none', (open) => {
  let service: McpService

  beforeAll(async () => {
    service = await open()
  })

  const required = 'expected string, received undefined'

  describe.each(['2025', '2026'])('in %s', (era) => {
    const ask = async (method: string, params?: object) => {
      if (era === '2026') return await answerOf(service.modern(method, params))
      return await service.rpc(method, params)
    }

    test.each<[string, object, string]>([
      ['tools/call', {}, `Invalid params of tools/call: params.name: ${required}`],
      [
        'tools/call',
        { name: 5 },
        'Invalid params of tools/call: params.name: expected string, received number',
      ],
      [
        'tools/call',
        { name: 'whoami', arguments: 'x' },
        'Invalid params of tools/call: params.arguments: expected record, received string',
      ],
      [
        'tools/list',
        { cursor: 5 },
        'Invalid params of tools/list: params.cursor: expected string, received number',
      ],
    ])('%s with %j is -32602 in one plain sentence', async (method, params, message) => {
      expect((await ask(method, params)).error).toEqual({ code: -32602, message })
    })
  })

  test.each(['tools/call', 'initialize'])('so is %s without any', async (method) => {
    const message = `Invalid params of ${method}: params: expected object, received undefined`
    expect((await service.rpc(method)).error).toEqual({ code: -32602, message })
  })

  test('one in a batch does not affect the others', async () => {
    const answers = await service.post([
      { ...ping, method: 'tools/call' },
      { ...ping, id: 6 },
    ])
    expect(await answers.json()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 5, error: expect.objectContaining({ code: -32602 }) }),
        { jsonrpc: '2.0', id: 6, result: {} },
      ]),
    )
  })

  test('an internal error outside a tool reveals nothing', async () => {
    const broken = await open({ environment: { LOG_LEVEL: 'silent' } })
    await broken.ctx.db.write((tx) => tx.schema.alterTable('audit_events').renameTo('x').execute())
    const { error } = await broken.rpc('tools/call', { name: 'set_plan', arguments: {} })
    expect(error).toEqual({ code: -32603, message: 'Internal error' })
  })
})
