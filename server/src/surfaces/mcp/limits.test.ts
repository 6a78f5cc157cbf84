import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '#config'
import { changePlan } from '#features/credits/index.ts'
import { plans } from '#kernel/plan.ts'
import { answerOf, describeMcp, type McpService } from '#test/support/mcp-service.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }

function allowance(response: Response) {
  const read = (name: string) => response.headers.get(`x-ratelimit-${name}`)
  return { limit: read('limit'), remaining: read('remaining') }
}

describeMcp('requests a minute', (open) => {
  const tight = { MCP_RATE_LIMITS: 'builder=3,studio=5' }

  test.each([
    ['free', '30'],
    ['builder', '120'],
    ['studio', '300'],
  ] as const)('are those of the plan: %s has %s', async (plan, limit) => {
    expect(String(plans[plan].mcpRequestsPerMinute)).toBe(limit)
    const { post } = await open({ plan })
    const response = await post(ping)
    expect(allowance(response)).toEqual({ limit, remaining: String(Number(limit) - 1) })
    const resetsIn = Number(response.headers.get('x-ratelimit-reset')) - Date.now() / 1000
    expect(resetsIn).toBeGreaterThan(50)
    expect(resetsIn).toBeLessThanOrEqual(61)
  })

  // All at once, and the machine may be busy.
  test('are unlimited on enterprise', { timeout: 60_000 }, async () => {
    const { post } = await open({ plan: 'enterprise' })
    const responses = await Promise.all(Array.from({ length: 400 }, () => post(ping)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('beyond the limit are 429 with Retry-After and an error of JSON-RPC', async () => {
    const { post, call } = await open({ environment: tight })
    for (const remaining of ['2', '1', '0'])
      expect(allowance(await post(ping))).toEqual({ limit: '3', remaining })
    const response = await post(ping)
    expect(response.status).toBe(429)
    expect(allowance(response)).toEqual({ limit: '3', remaining: '0' })
    const seconds = Number(response.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(await answerOf(response)).toEqual({
      jsonrpc: '2.0',
      id: 5,
      error: {
        code: -32000,
        message: `Rate limit exceeded: 3 requests a minute; try again in ${seconds} s`,
      },
    })
    await expect(call('whoami')).rejects.toThrow('Rate limit exceeded')
  })

  test('count every POST: unreadable and refused ones, and notifications', async () => {
    const { post, key, makeKey, owner } = await open({
      environment: { MCP_RATE_LIMITS: 'builder=9' },
    })
    const narrow = await makeKey(owner, { scopes: ['apps:read'] })
    const remaining = async (response: Promise<Response>) => allowance(await response).remaining
    expect(await remaining(post('{'))).toBe('8')
    expect(await remaining(post(ping, { headers: { 'content-type': 'text/plain' } }))).toBe('7')
    expect(await remaining(post(ping, { query: '?toolsets=nonsense' }))).toBe('6')
    expect(await remaining(post({ jsonrpc: '2.0', method: 'notifications/initialized' }))).toBe('5')
    const create = { ...ping, method: 'tools/call', params: { name: 'create_app', arguments: {} } }
    expect(await remaining(post(create, { key: narrow }))).toBe('4')
    expect(await remaining(post([ping, { ...ping, id: 6 }], { key }))).toBe('2')
  })

  test('are counted for the person, whatever the key or process', async () => {
    const service = await open({ environment: tight })
    const second = await service.makeKey(service.owner)
    await service.post(ping)
    expect(allowance(await service.post(ping, { key: second })).remaining).toBe('1')
    const other = await service.person()
    const theirs = await service.makeKey(other)
    expect(allowance(await service.post(ping, { key: theirs })).remaining).toBe('2')
  })

  describe('are those of the workspace that the call acts in', () => {
    async function twoWorkspaces(): Promise<{
      service: McpService
      second: string
      appId: string
    }> {
      const service = await open({ environment: tight })
      const made = await service.call('create_workspace', { name: 'Second' })
      const second = String(made.structuredContent.id)
      await changePlan(
        service.ctx,
        { userId: service.owner.userId, workspaceId: second },
        { plan: 'studio' },
      )
      const app = await service.call('create_app', { name: 'There', workspace_id: second })
      return { service, second, appId: String(app.structuredContent.id) }
    }

    const callOf = (name: string, input: object) => ({
      ...ping,
      method: 'tools/call',
      params: { name, arguments: input },
    })

    test('that workspace_id names, with its plan and its own count', async () => {
      const { service, second } = await twoWorkspaces()
      const named = await service.post(callOf('list_apps', { workspace_id: second }))
      expect(allowance(named)).toEqual({ limit: '5', remaining: '3' })
      expect(allowance(await service.post(ping))).toEqual({ limit: '3', remaining: '1' })
    })

    test('but all workspaces of one owner on the plan of new workspaces count together', async () => {
      const service = await open({ environment: tight })
      const made = await service.call('create_workspace', { name: 'Second' })
      const third = await service.call('create_workspace', { name: 'Third' })
      const workspace_id = String(made.structuredContent.id)
      const named = await service.post(callOf('list_apps', { workspace_id }))
      expect(allowance(named)).toEqual({ limit: '3', remaining: '0' })
      const other = String(third.structuredContent.id)
      const refused = await service.post(callOf('list_apps', { workspace_id: other }))
      expect(refused.status).toBe(429)
    })

    test('that holds the record named', async () => {
      const { service, appId } = await twoWorkspaces()
      const response = await service.post(callOf('get_app', { app_id: appId }))
      expect(allowance(response)).toEqual({ limit: '5', remaining: '3' })
    })

    test('but reveal nothing about the plan of another’s workspace', async () => {
      const { service, second, appId } = await twoWorkspaces()
      const stranger = await service.person()
      const key = await service.makeKey(stranger)
      const named = await service.post(callOf('list_apps', { workspace_id: second }), { key })
      expect(allowance(named)).toEqual({ limit: '3', remaining: '2' })
      const held = await service.post(callOf('get_app', { app_id: appId }), { key })
      expect(allowance(held)).toEqual({ limit: '3', remaining: '1' })
    })
  })

  test('are shared by the processes on PostgreSQL; on SQLite there is one', async () => {
    const service = await open({ environment: tight })
    const { limits } = (await service.again()).ctx
    const key = `mcp:${service.owner.userId}:owner:${service.owner.userId}`
    await limits.consume(key, { limit: 3, windowSeconds: 60 })
    const left = service.ctx.db.engine === 'postgres' ? '1' : '2'
    expect(allowance(await service.post(ping)).remaining).toBe(left)
  })
})

describe('MCP_RATE_LIMITS', () => {
  test('sets plans by name, or frees them', () => {
    const { mcpRateLimits } = readConfig({ MCP_RATE_LIMITS: 'free=10, studio=unlimited' })
    expect(mcpRateLimits).toEqual({ free: 10, studio: null })
    expect(readConfig({}).mcpRateLimits).toEqual({})
  })

  test.each(['free', 'gold=1', 'free=0', 'free=-1', 'free=1.5', 'free=1=2'])(
    'refuses %s',
    (given) => {
      expect(() => readConfig({ MCP_RATE_LIMITS: given })).toThrow(ConfigError)
    },
  )
})
