import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { commonFaults, Fault, faultKinds } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import { answerOf, describeMcp, mcpBaseUrl, type McpService } from '#test/support/mcp-service.ts'
import { toMcpFault } from './fault-table.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }
const metadata = `resource_metadata="${mcpBaseUrl}/.well-known/oauth-protected-resource/mcp"`

describe('every kind of fault', () => {
  test.each(faultKinds)('%s has a status and a message that reveal no internals', (kind) => {
    const fault = new Fault({ code: 'some_new_code', kind }, { secret: 'svc_sk_secret' })
    const { status, message } = toMcpFault(fault)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(message).toMatch(/^[A-Z]/)
    expect(message).not.toContain('secret')
  })

  test('an error that is not a fault gets the surface’s constant answer', () => {
    const error = new z.ZodError([])
    expect(toMcpFault(error)).toEqual({ status: 500, code: -32603, message: 'Internal error' })
  })
})

test('an unavailable database is 503, with our own message', () => {
  const fault = new Fault(commonFaults.database_unavailable, {}, { cause: new Error('pool') })
  expect(toMcpFault(fault)).toMatchObject({
    status: 503,
    message: 'The service is not ready; try again later',
  })
})

describeMcp('what is refused', (open) => {
  let service: McpService

  beforeAll(async () => {
    service = await open({ plan: 'enterprise' })
  })

  async function refusal(response: Response | Promise<Response>) {
    const { status, headers } = await response
    const { id, error } = await answerOf(response)
    return { status, id, error, challenge: headers.get('www-authenticate') }
  }

  test('no token: 401 Authentication required, with the way to a token and without an error', async () => {
    for (const authorization of ['', 'Basic eDp5', 'Bearer', 'Bearer ']) {
      expect(await refusal(service.post(ping, { headers: { authorization } }))).toEqual({
        status: 401,
        id: null,
        error: { code: -32000, message: 'Authentication required' },
        challenge: `Bearer ${metadata}`,
      })
    }
  })

  test.each([
    'nonsense',
    `svc_sk_${'a'.repeat(42)}`,
    `svc_sk_${'a'.repeat(44)}`,
    `svc_sk_${'a'.repeat(42)}!`,
    `svc_ck_${'a'.repeat(43)}`,
    `svc_rt_${'a'.repeat(43)}`,
    `SVC_SK_${'a'.repeat(43)}`,
    'two words',
  ])('%s: 401 Invalid token format', async (key) => {
    expect(await refusal(service.post(ping, { key }))).toEqual({
      status: 401,
      id: null,
      error: { code: -32000, message: 'Invalid token format' },
      challenge: `Bearer error="invalid_token", error_description="Invalid token format", ${metadata}`,
    })
  })

  test.each([`svc_sk_${'a'.repeat(43)}`, `svc_at_${'-'.repeat(43)}`])(
    '%s, well-formed but unknown: 401 Authentication required',
    async (key) => {
      expect(await refusal(service.post(ping, { key }))).toEqual({
        status: 401,
        id: null,
        error: { code: -32000, message: 'Authentication required' },
        challenge: `Bearer error="invalid_token", error_description="Authentication required", ${metadata}`,
      })
    },
  )

  test('a key past its expiry: 401 API key has expired', async () => {
    const expiresAt = service.ctx.clock.now() + 1000
    const key = await service.makeKey(service.owner, { expiresAt })
    expect((await service.post(ping, { key })).status).toBe(200)
    service.advance(1000)
    expect(await refusal(service.post(ping, { key }))).toEqual({
      status: 401,
      id: null,
      error: { code: -32000, message: 'API key has expired' },
      challenge: `Bearer error="invalid_token", error_description="API key has expired", ${metadata}`,
    })
  })

  test.each(['bearer', 'BEARER', 'BeArEr'])('the scheme may be written %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${service.key}` }
    expect((await service.post(ping, { headers })).status).toBe(200)
  })

  test('a scope that was not granted: 403 Scope not authorized, which names it', async () => {
    const key = await service.makeKey(service.owner, { scopes: ['apps:read'] })
    const params = { name: 'create_app', arguments: { name: 'x' } }
    const call = { jsonrpc: '2.0', id: 'call-1', method: 'tools/call', params }
    const message = 'Scope not authorized: this tool needs apps:write'
    const expected = {
      status: 403,
      id: 'call-1',
      error: { code: -32000, message },
      challenge: `Bearer error="insufficient_scope", error_description="${message}", scope="apps:write", ${metadata}`,
    }
    expect(await refusal(service.post(call, { key }))).toEqual(expected)
    expect(await refusal(service.modern('tools/call', params, { key }))).toEqual({
      ...expected,
      id: 1,
    })
    expect(await refusal(service.post([{ ...ping, id: 1 }, call], { key }))).toMatchObject({
      status: 403,
      error: { message },
    })
  })

  test.each([
    ['text/plain', 415, 'Content-Type must be application/json'],
    ['application/x-www-form-urlencoded', 415, 'Content-Type must be application/json'],
    ['multipart/form-data', 415, 'Content-Type must be application/json'],
  ])('a body of %s: %s', async (type, status, message) => {
    const response = service.post(ping, { headers: { 'content-type': type } })
    expect(await refusal(response)).toMatchObject({ status, error: { code: -32000, message } })
  })

  test('a body over MAX_BODY_BYTES: 413', async () => {
    const small = await open({ environment: { MAX_BODY_BYTES: '2000' } })
    const big = { ...ping, params: { padding: 'x'.repeat(2000) } }
    expect(await refusal(small.post(big))).toMatchObject({
      status: 413,
      error: { code: -32000, message: 'The request body is larger than 2000 bytes' },
    })
  })

  test('an internal error: a result that names the request and reveals nothing else', async () => {
    const made = await service.call('create_app', { name: 'Broken' })
    await service.ctx.db.write((tx) =>
      tx.updateTable('agents').set({ settings_json: '{"not":"settings"}' }).execute(),
    )
    const input = { app_id: made.structuredContent.id }
    const sent = { headers: { 'x-correlation-id': 'trace-1' } }
    expect(await service.call('get_app', input, sent)).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'Something went wrong on our side. The log has the details under request trace-1.',
        },
      ],
    })
  })

  test('every answer names its request', async () => {
    const response = await service.post(ping, { key: 'nonsense' })
    expect(response.headers.get('x-request-id')).toSatisfy(isUuid)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})
