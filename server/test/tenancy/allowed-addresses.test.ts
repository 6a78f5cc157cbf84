import { Hono } from 'hono'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { createAgentKey, createDeveloperKey } from '#features/api-keys/index.ts'
import { acpSurface } from '#surfaces/acp/index.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import { mcpSurface } from '#surfaces/mcp/index.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { until } from '#test/support/until.ts'

/** An IPv4 network, one IPv6 address, and one of a network that a proxy may report. */
const allowed = ['203.0.113.9/24', '2001:db8::7']
const inside = ['203.0.113.200', '::ffff:203.0.113.1', '2001:db8::7', '2001:0DB8:0:0::0007']
const outside = ['203.0.114.1', '2001:db8::8', '::1', '127.0.0.1', 'nonsense']

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

interface Request_ {
  readonly path: string
  readonly init: RequestInit
}

describeInstance('a key with allowed addresses', (open) => {
  let instance: TestInstance
  let app: Hono
  let owner: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open({ TRUST_PROXY: '10.0.0.0/8', BASE_URL: 'http://localhost:3000' })
    owner = await instance.person({ plan: 'builder' })
    const { ctx } = instance
    agent = await createAgent(ctx, owner, { name: 'Keyed' })
    app = new Hono()
      .route('/api/v1', chatSurface(ctx))
      .route('/mcp', mcpSurface(ctx, { version: '0' }))
      .route('/', acpSurface(ctx))
  })

  const agentKey = (kind: 'chat' | 'acp', allowedAddresses?: readonly string[]) =>
    createAgentKey(instance.ctx, owner, { kind, appId: agent.id, name: 'K', allowedAddresses })

  /** A key of each kind, how it is used, and how an unknown key is answered. */
  const kinds = {
    chat: {
      issue: (addresses?: readonly string[]) => agentKey('chat', addresses),
      request: (): Request_ => ({ path: '/api/v1/models', init: {} }),
      refusal: { error: 'Invalid API key' },
      action: 'use_key',
    },
    checkout: {
      issue: (addresses?: readonly string[]) => agentKey('acp', addresses),
      request: (): Request_ => ({ path: `/acp/${agent.id}/checkout_sessions/x`, init: {} }),
      refusal: { error: { code: 'unauthorized', message: 'Invalid API key' } },
      action: 'use_key',
    },
    developer: {
      issue: (allowedAddresses?: readonly string[]) => {
        const holder = { ...owner, role: 'owner' } as const
        return createDeveloperKey(instance.ctx, holder, { name: 'K', allowedAddresses })
      },
      request: (): Request_ => ({ path: '/mcp', init: { method: 'POST', body: ping } }),
      refusal: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'Authentication required' },
      },
      action: 'POST /mcp',
    },
  }

  async function send(
    { path, init }: Request_,
    key: string,
    from: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const url = `http://localhost:3000${path}`
    const sent = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
    const connection = { incoming: { socket: { remoteAddress: from } } }
    return await app.request(url, { ...init, headers: sent }, connection)
  }

  const refusalsOf = async (action: string) =>
    await instance.ctx.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', action)
      .where('workspace_id', '=', owner.workspaceId)
      .where('detail_json', 'like', '%key_address_refused%')
      .orderBy('id')
      .execute()

  describe.each(Object.entries(kinds))('%s', (_, { issue, request, refusal, action }) => {
    test('works from each of them', async () => {
      const { key } = await issue(allowed)
      for (const from of inside)
        expect((await send(request(), key, from)).status, from).not.toBe(401)
    })

    test('is answered like an unknown key from elsewhere, and recorded once a minute', async () => {
      const { key, id } = await issue(allowed)
      const before = (await refusalsOf(action)).length
      for (const from of [...outside, ...outside]) {
        const response = await send(request(), key, from)
        expect(response.status, from).toBe(401)
        expect(await response.json()).toEqual(refusal)
      }
      const events = (await refusalsOf(action)).slice(before)
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({ outcome: 'refused' })
      expect([events[0]?.target, events[0]?.via_id]).toContain(id)
      expect(JSON.stringify(events)).toContain('203.0.114.1')
    })

    test('counts the address that a trusted proxy saw, and no other', async () => {
      const { key } = await issue(allowed)
      const via = (from: string, seen: string) =>
        send(request(), key, from, { 'x-forwarded-for': seen })
      expect((await via('10.1.2.3', '203.0.113.9')).status).not.toBe(401)
      expect((await via('10.1.2.3', '203.0.113.9, 198.51.100.1')).status).toBe(401)
      expect((await via('198.51.100.1', '203.0.113.9')).status).toBe(401)
    })

    test('without allowed addresses works from everywhere', async () => {
      const { key } = await issue()
      for (const from of [...inside, ...outside])
        expect((await send(request(), key, from)).status, from).not.toBe(401)
    })
  })

  test('networks are stored in one form', async () => {
    const blocks = ['203.0.113.9/24', '203.0.113.0/24', '::ffff:198.51.100.7/128', '2001:DB8::1/32']
    const issued = await agentKey('chat', blocks)
    expect(issued.allowedAddresses).toEqual(['203.0.113.0/24', '198.51.100.7/32', '2001:db8::/32'])
  })

  test.each([
    '127',
    '0x7f000001',
    '10.0.0.0/33',
    '10.0.0.1/',
    'example.com',
    '1.2.3.4 5.6.7.8',
    '',
  ])('%s is not accepted as an address', async (block) => {
    const issued = agentKey('chat', [block])
    await expect(issued).rejects.toMatchObject({ code: 'address_block_invalid' })
  })

  test('the last use is kept with address and user agent, at most once a minute', async () => {
    const { key, id } = await kinds.developer.issue()
    const use = (from: string, agent: string) =>
      send(kinds.developer.request(), key, from, { 'user-agent': agent })
    const row = () =>
      instance.ctx.db.read
        .selectFrom('api_keys')
        .select(['last_used_at', 'last_used_address', 'last_used_agent'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    await use('203.0.113.5', `curl/8 ${'x'.repeat(500)}`)
    await until('the use is stored', async () => (await row()).last_used_at !== null)
    const first = await row()
    expect(first).toMatchObject({ last_used_address: '203.0.113.5' })
    expect(first.last_used_agent).toHaveLength(200)
    await use('203.0.113.6', 'other')
    expect(await row()).toEqual(first)
    instance.advance(61_000)
    await use('2001:db8:1:2:3:4:5:6', 'other')
    await until('the use is stored', async () => (await row()).last_used_agent === 'other')
    expect(await row()).toMatchObject({ last_used_address: '2001:db8:1:2::' })
  })
})
