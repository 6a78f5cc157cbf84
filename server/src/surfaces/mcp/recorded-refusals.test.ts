import { beforeAll, expect, test } from 'vitest'
import { describeMcp, mcpBaseUrl, type McpService } from '#test/support/mcp-service.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }
const unknownKey = `svc_sk_${'a'.repeat(43)}`

async function refusalsOf({ ctx }: McpService) {
  const rows = await ctx.db.read
    .selectFrom('audit_events')
    .selectAll()
    .where('outcome', '=', 'refused')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    who: row.user_id,
    where: row.workspace_id,
    by: row.via_kind,
    client: row.client,
    action: row.action,
    request: row.request_id,
    detail: JSON.parse(row.detail_json ?? 'null') as unknown, // compared with what is expected
  }))
}

describeMcp('the audit log of what never reaches a tool', (open) => {
  let service: McpService

  beforeAll(async () => {
    service = await open({
      environment: { MCP_RATE_LIMITS: 'builder=2', MCP_FAILED_CALLS_LIMIT: '500' },
    })
  })

  test('a flood past a limit is one row per minute, with person, key, operation and request', async () => {
    const call = {
      ...ping,
      method: 'tools/call',
      params: { name: 'list_apps', arguments: {} },
    }
    await service.post(ping)
    await service.post(ping)
    const headers = { 'x-correlation-id': 'first-429' }
    expect((await service.post(call, { headers })).status).toBe(429)
    const flood = await Promise.all(Array.from({ length: 30 }, () => service.post(call)))
    expect(flood.every(({ status }) => status === 429)).toBe(true)
    expect(await refusalsOf(service)).toEqual([
      {
        who: service.owner.userId,
        where: service.owner.workspaceId,
        by: 'developer_key',
        client: 'test key',
        action: 'list_apps',
        request: 'first-429',
        detail: { refused: 'rate_limited', address: 'unknown' },
      },
    ])
  })

  test('another key of the same person has its own row', async () => {
    const key = await service.makeKey(service.owner)
    expect((await service.post(ping, { key })).status).toBe(429)
    expect((await service.post(ping, { key })).status).toBe(429)
    expect(await refusalsOf(service)).toHaveLength(2)
  })

  test('processes share the minute on PostgreSQL', async () => {
    if (service.ctx.db.engine !== 'postgres') return // On SQLite there is one process.
    const { limits } = (await service.again()).ctx
    const once = { limit: 1, windowSeconds: 60 }
    const key = await service.ctx.db.read
      .selectFrom('api_keys')
      .select('id')
      .orderBy('id')
      .executeTakeFirstOrThrow()
    expect((await limits.consume(`recorded:mcp:rate_limited:${key.id}`, once)).allowed).toBe(false)
  })

  test('a deleted or expired key, and a revoked grant, are refused by name', async () => {
    const own = await open()
    const key = await own.makeKey(own.owner)
    const { db, clock } = own.ctx
    await db.write((tx) =>
      tx.updateTable('api_keys').set({ revoked_at: clock.now(), name: 'the old one' }).execute(),
    )
    expect((await own.post(ping, { key })).status).toBe(401)
    const expired = await own.makeKey(own.owner, { expiresAt: clock.now() + 1000 })
    own.advance(2000)
    for (let round = 0; round < 3; round += 1)
      expect((await own.post(ping, { key: expired })).status).toBe(401)
    const common = { who: own.owner.userId, where: own.owner.workspaceId, by: 'developer_key' }
    expect(await refusalsOf(own)).toEqual([
      expect.objectContaining({
        ...common,
        client: 'the old one',
        action: 'POST /mcp',
        detail: { refused: 'token_unknown', address: 'unknown' },
      }),
      expect.objectContaining({
        ...common,
        client: 'test key',
        detail: { refused: 'key_expired', address: 'unknown' },
      }),
    ])
  })

  test('strangers are recorded by address and reason, each once a minute', async () => {
    const own = await open()
    for (let round = 0; round < 3; round += 1) {
      await own.post(ping, { key: unknownKey })
      await own.post(ping, { key: 'nonsense' })
      await own.post(ping, { headers: { authorization: '' } })
      await own.post(ping, { headers: { origin: 'https://evil.example' } })
      await own.app.request('http://evil.example/mcp', { method: 'POST', body: '{}' })
    }
    const nobody = { who: null, where: null, by: null, client: null, action: 'POST /mcp' }
    const codes = [
      'token_unknown',
      'token_malformed',
      'token_missing',
      'origin_refused',
      'host_refused',
    ]
    expect(await refusalsOf(own)).toEqual(
      codes.map((refused) =>
        expect.objectContaining({ ...nobody, detail: { refused, address: 'unknown' } }),
      ),
    )
  })

  test('a flood from many addresses creates a hundred rows per minute, and one that says so', async () => {
    const own = await open({ environment: { TRUST_PROXY: '127.0.0.0/8' } })
    const incoming = { socket: { remoteAddress: '127.0.0.1' } }
    for (let host = 0; host < 120; host += 1)
      await own.app.request(
        `${mcpBaseUrl}/mcp`,
        { method: 'POST', headers: { 'x-forwarded-for': `198.51.100.${host}` } },
        { incoming },
      )
    const rows = await refusalsOf(own)
    expect(rows).toHaveLength(101)
    expect(rows[100]).toMatchObject({
      who: null,
      action: 'omit_refusals',
      detail: { recorded: 100, none_recorded_until: expect.stringMatching(/^\d{4}-.*Z$/) },
    })
    expect(rows[7]).toMatchObject({ detail: { address: '198.51.100.7' } })
  })

  test('a malformed request is not a refusal and leaves no row', async () => {
    const own = await open()
    await own.post('{')
    await own.post(ping, { headers: { 'content-type': 'text/plain' } })
    await own.app.request(`${mcpBaseUrl}/mcp`)
    expect(await refusalsOf(own)).toEqual([])
  })
})
