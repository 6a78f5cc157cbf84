import { beforeAll, describe, expect, test } from 'vitest'
import { answerOf, describeMcp, modernMeta, type McpService } from '#test/support/mcp-service.ts'

const whoami = { name: 'whoami', arguments: {} }
const both = { accept: 'application/json, text/event-stream' }

describeMcp('every revision of the protocol', (open) => {
  let service: McpService

  beforeAll(async () => {
    service = await open({ plan: 'enterprise' })
  })

  describe('the interface’s own plain request', () => {
    const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' }

    test.each([undefined, '*/*', 'application/json', 'text/html'])(
      'needs no initialize and gets JSON with Accept: %s',
      async (accept) => {
        const headers: Record<string, string> = accept === undefined ? {} : { accept }
        const response = await service.post(list, { headers })
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toBe('application/json')
        const { jsonrpc, id, result } = await answerOf(response)
        expect({ jsonrpc, id }).toEqual({ jsonrpc: '2.0', id: 'a' })
        expect(result.tools).toBeInstanceOf(Array)
      },
    )

    test('may have parameters in the content type', async () => {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      expect((await service.post(list, { headers })).status).toBe(200)
    })
  })

  describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])('revision %s', (revision) => {
    const headers = { ...both, 'mcp-protocol-version': revision }

    test('is agreed on, without a session and with tools that do not change', async () => {
      const params = {
        protocolVersion: revision,
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }
      const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
      const response = await service.post(message, { headers: both })
      expect(response.headers.get('mcp-session-id')).toBeNull()
      const { result } = await answerOf(response)
      expect(result).toEqual({
        protocolVersion: revision,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'parley', title: 'Parley', version: '0.0.0-test' },
        instructions: expect.stringContaining('whoami'),
      })
    })

    test('accepts a notification with 202 and no body', async () => {
      const message = { jsonrpc: '2.0', method: 'notifications/initialized' }
      const response = await service.post(message, { headers })
      expect(response.status).toBe(202)
      expect(await response.text()).toBe('')
    })

    test('lists, calls and answers ping', async () => {
      expect((await service.rpc('tools/list', {}, { headers })).result.tools).toBeDefined()
      expect(await service.call('whoami', {}, { headers })).toHaveProperty('structuredContent')
      expect((await service.rpc('ping', {}, { headers })).result).toEqual({})
    })

    test('an unknown method is an error of JSON-RPC', async () => {
      const { error } = await service.rpc('resources/list', {}, { headers })
      expect(error).toMatchObject({ code: -32601 })
    })
  })

  test('a revision that is not known falls back in initialize, and is refused in the header', async () => {
    const params = {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    }
    expect((await service.rpc('initialize', params)).result.protocolVersion).toBe('2025-11-25')
    const headers = { 'mcp-protocol-version': '1999-01-01' }
    const response = await service.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers })
    expect(response.status).toBe(400)
  })

  describe('revision 2026-07-28', () => {
    test('discovers the server', async () => {
      const { result } = await answerOf(service.modern('server/discover'))
      expect(result).toMatchObject({
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 60_000,
        cacheScope: 'private',
      })
    })

    test('lists and calls', async () => {
      const { result } = await answerOf(service.modern('tools/list'))
      expect(result).toMatchObject({ resultType: 'complete', cacheScope: 'private' })
      const called = await answerOf(service.modern('tools/call', whoami))
      expect(called.result).toMatchObject({
        resultType: 'complete',
        structuredContent: { user: { email: service.owner.email } },
      })
    })

    test('a removed or unknown method is 404 and -32601', async () => {
      for (const method of ['ping', 'initialize', 'logging/setLevel', 'no/such']) {
        const response = await service.modern(method)
        expect(response.status).toBe(404)
        expect((await answerOf(response)).error.code).toBe(-32601)
      }
    })

    test.each([
      ['mcp-method', 'tools/list', -32020],
      ['mcp-name', 'create_app', -32020],
      ['mcp-protocol-version', '2025-11-25', -32020],
    ])('a header %s that is not what the body says is 400 and %s', async (name, value, code) => {
      const response = await service.modern('tools/call', whoami, { headers: { [name]: value } })
      expect(response.status).toBe(400)
      expect((await answerOf(response)).error.code).toBe(code)
    })

    test('a missing header is 400 and -32020, a missing envelope -32602', async () => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta } }
      const bare = await service.post(message)
      expect([bare.status, (await answerOf(bare)).error.code]).toEqual([400, -32020])
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
      const unsealed = await service.post({ ...message, params: {} }, { headers })
      expect([unsealed.status, (await answerOf(unsealed)).error.code]).toEqual([400, -32602])
    })

    test('a version that is not served is 400 and -32022, with those that are', async () => {
      const later = '2030-01-01'
      const _meta = { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': later }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }
      const headers = { 'mcp-protocol-version': later, 'mcp-method': 'tools/list' }
      const response = await service.post(message, { headers })
      expect(response.status).toBe(400)
      expect((await answerOf(response)).error).toMatchObject({
        code: -32022,
        data: { supported: ['2026-07-28'] },
      })
    })

    test('a subscription learns that nothing changes, and ends', async () => {
      const params = { notifications: { toolsListChanged: true } }
      const response = await service.modern('subscriptions/listen', params)
      const text = await response.text()
      expect(text).toContain('notifications/subscriptions/acknowledged')
      expect(text).toContain('"resultType":"complete"')
    })
  })

  describe('methods of HTTP', () => {
    test.each(['GET', 'DELETE', 'PUT', 'PATCH'])(
      '%s is 405: there are no sessions',
      async (method) => {
        const headers = { authorization: `Bearer ${service.key}`, accept: 'text/event-stream' }
        const response = await service.app.request('/mcp', { method, headers })
        expect(response.status).toBe(405)
        expect(response.headers.get('allow')).toBe('POST, OPTIONS')
      },
    )

    test('session headers of older clients are ignored', async () => {
      const headers = { 'mcp-session-id': 'abc', 'last-event-id': '7' }
      expect(await service.call('whoami', {}, { headers })).toHaveProperty('structuredContent')
    })
  })

  describe('a batch', () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: whoami }

    test('is answered together, as revision 2025-03-26 has it', async () => {
      for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
        const response = await service.post([ping, call], { headers })
        const answers = (await response.json()) as { id: number }[]
        expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2])
      }
    })

    test.each(['2025-06-18', '2025-11-25', '2026-07-28'])('is refused in %s', async (revision) => {
      const headers = { 'mcp-protocol-version': revision }
      const response = await service.post([ping], { headers })
      expect(response.status).toBe(400)
      expect((await answerOf(response)).error.code).toBe(-32600)
    })

    test('of notifications is accepted with 202', async () => {
      const message = { jsonrpc: '2.0', method: 'notifications/initialized' }
      expect((await service.post([message, message])).status).toBe(202)
    })

    test('that cancels one of its own requests still gets an answer to it', async () => {
      const params = { requestId: 2, reason: 'changed my mind' }
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params }
      const response = await service.post([call, cancel])
      expect(await response.json()).toMatchObject({ id: 2, result: {} })
    })

    test.each([
      ['is empty', []],
      ['has more than 20 messages', Array.from({ length: 21 }, (_, id) => ({ ...ping, id }))],
      ['has one id twice', [ping, ping]],
      ['holds something else', [ping, 'x']],
      ['holds a request of 2026-07-28', [{ ...ping, params: { _meta: modernMeta } }]],
    ])('that %s is refused', async (_, batch) => {
      const response = await service.post(batch)
      expect(response.status).toBe(400)
      expect((await answerOf(response)).error.code).toBe(-32600)
    })
  })

  describe('what is no message', () => {
    test.each([
      ['no JSON', '{', -32700],
      ['empty', '', -32700],
      ['null', 'null', -32600],
      ['a word', '"x"', -32600],
      ['a number', '5', -32600],
      ['an object', '{"a":1}', -32600],
      ['JSON-RPC 1', '{"id":1,"method":"ping"}', -32600],
      ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":5}', -32600],
    ])('%s is 400 and its code', async (_, body, code) => {
      const response = await service.post(body)
      expect(response.status).toBe(400)
      expect((await answerOf(response)).error.code).toBe(code)
    })
  })
})
