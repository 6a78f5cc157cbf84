import { beforeAll, expect } from 'vitest'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Scope } from '#kernel/scope.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { answerOf, describeMcp, type McpService } from '#test/support/mcp-service.ts'
import { verifies } from './verifies.ts'

const day = 86_400_000
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describeMcp('the MCP server in the interface', (open) => {
  let service: McpService
  let appId: string

  beforeAll(async () => {
    service = await open({ plan: 'enterprise' })
    appId = String((await service.call('create_app', { name: 'Helper' })).structuredContent.id)
  })

  /** Runs an operation as the person does in the dashboard. */
  async function inDashboard(name: string, input: object): Promise<Record<string, unknown>> {
    const operation = findOperation(name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    return await runOperation(service.ctx, actorOf(service.owner), operation, input)
  }

  async function statusWith(key: unknown): Promise<number> {
    return (await service.post(ping, { key: String(key) })).status
  }

  /** The status of a tool call by a credential with one scope: 200, or 403 before the tool runs. */
  async function statusOf(scopes: readonly Scope[], name: string, input: object): Promise<number> {
    const key = await service.makeKey(service.owner, { scopes })
    const body = { ...ping, method: 'tools/call', params: { name, arguments: input } }
    return (await service.post(body, { key })).status
  }

  verifies(['mcp.endpoint', 'mcp.messages', 'mcp.header.content-type'], async () => {
    const response = await service.post({ jsonrpc: '2.0', id: 'seven', method: 'tools/list' })
    expect(response.status).toBe(200)
    const { jsonrpc, id, result } = await answerOf(response)
    expect({ jsonrpc, id }).toEqual({ jsonrpc: '2.0', id: 'seven' })
    expect(result.tools).toBeInstanceOf(Array)
    const text = await service.post(ping, { headers: { 'content-type': 'text/plain' } })
    expect(text.status).toBe(415)
  })

  verifies('mcp.tools', async () => {
    const { result } = await service.rpc('tools/list')
    const names = (result.tools as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['list_apps', 'create_app', 'get_app_analytics']))
  })

  verifies('mcp.purpose.agents', async () => {
    const made = await service.call('create_app', { name: 'Short-lived' })
    const app_id = made.structuredContent.id
    const changed = await service.call('update_app', { app_id, name: 'Renamed' })
    expect(changed.structuredContent).toMatchObject({ id: app_id, name: 'Renamed' })
    await service.call('delete_app', { app_id })
    expect(await service.call('get_app', { app_id })).toMatchObject({ isError: true })
  })

  verifies('mcp.purpose.knowledge', async () => {
    const added = await service.call('add_knowledge_source', {
      app_id: appId,
      title: 'Hours',
      text: 'We are open on Mondays.',
    })
    const listed = await service.call('list_knowledge_sources', { app_id: appId })
    expect(listed.structuredContent.items).toEqual([
      expect.objectContaining({ id: added.structuredContent.id, title: 'Hours' }),
    ])
    const source_id = added.structuredContent.id
    await service.call('delete_knowledge_source', { source_id })
    expect(await service.call('get_knowledge_source', { source_id })).toMatchObject({
      isError: true,
    })
  })

  verifies('mcp.purpose.actions', async () => {
    const made = await service.call('create_custom_action', {
      app_id: appId,
      name: 'get_weather',
      description: 'The weather now',
      method: 'GET',
      url: 'https://api.example.com/weather',
    })
    const action_id = made.structuredContent.id
    const listed = await service.call('list_custom_actions', { app_id: appId })
    expect(listed.structuredContent).toMatchObject({ items: [{ id: action_id }] })
    const change = { action_id, description: 'The weather of tomorrow' }
    const changed = await service.call('update_custom_action', change)
    expect(changed.structuredContent).toMatchObject({
      id: action_id,
      description: change.description,
    })
    await service.call('delete_custom_action', { action_id })
    expect(await service.call('get_custom_action', { action_id })).toMatchObject({ isError: true })
  })

  verifies('mcp.purpose.analytics', async () => {
    await service.call('chat_with_app', { app_id: appId, message: 'When are you open?' })
    const { structuredContent } = await service.call('get_app_analytics', { app_id: appId })
    expect(structuredContent).toMatchObject({ totals: { sessions: 1, messages: 2, errors: 0 } })
  })

  verifies('mcp.purpose.workspaces', async () => {
    const made = await service.call('create_workspace', { name: 'Second' })
    const { structuredContent } = await service.call('list_workspaces')
    const ids = (structuredContent.items as { id: string }[]).map(({ id }) => id)
    expect(ids).toEqual([service.owner.workspaceId, made.structuredContent.id])
  })

  verifies(['key.prefix', 'mcp.header.authorization', 'auth.key.bearer'], async () => {
    const { key } = await inDashboard('create_developer_key', { name: 'Nightly job' })
    expect(key).toMatch(/^svc_sk_[0-9A-Za-z]{49}$/)
    expect(await statusWith(key)).toBe(200)
    const bare = await service.app.request('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ping),
    })
    expect(bare.status).toBe(401)
  })

  verifies(['key.name', 'auth.key.created'], async () => {
    await expect(inDashboard('create_developer_key', {})).rejects.toMatchObject({
      code: 'invalid_input',
    })
    const input = { name: 'Deploys', scopes: ['apps:read'], expires_in: '90d' }
    const { key, ...shown } = await inDashboard('create_developer_key', input)
    expect(key).toBeTypeOf('string')
    expect(shown).toMatchObject({ name: 'Deploys', scopes: ['apps:read'] })
  })

  verifies(['key.scopes', 'scope.all'], async () => {
    const { key, scopes } = await inDashboard('create_developer_key', { name: 'Everything' })
    expect(scopes).toEqual(['*'])
    const call = { ...ping, method: 'tools/call', params: { name: 'list_workspaces' } }
    expect((await service.post(call, { key: String(key) })).status).toBe(200)
    await expect(
      inDashboard('create_developer_key', { name: 'x', scopes: ['apps:everything'] }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
  })

  verifies(['key.expiration', 'state.key-expired'], async () => {
    const made = service.ctx.clock.now()
    const lifetimes = { '30d': 30, '90d': 90, '1y': 365 }
    for (const [expires_in, days] of Object.entries(lifetimes)) {
      const { expires_at } = await inDashboard('create_developer_key', { name: 'x', expires_in })
      expect(Date.parse(String(expires_at))).toBe(made + days * day)
    }
    for (const input of [{ name: 'x' }, { name: 'x', expires_in: 'never' }])
      expect(await inDashboard('create_developer_key', input)).toMatchObject({ expires_at: null })
    const { key } = await inDashboard('create_developer_key', { name: 'x', expires_in: '30d' })
    service.advance(30 * day - 1)
    expect(await statusWith(key)).toBe(200)
    service.advance(1)
    const refused = await service.post(ping, { key: String(key) })
    expect(refused.status).toBe(401)
    expect((await answerOf(refused)).error.message).toBe('API key has expired')
  })

  verifies('key.display', async () => {
    const { key } = await inDashboard('create_developer_key', { name: 'Secret' })
    const rows = await service.ctx.db.read.selectFrom('api_keys').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(String(key).slice('svc_sk_'.length))
    const listed = await inDashboard('list_developer_keys', { limit: 100 })
    expect(JSON.stringify(listed)).not.toContain(String(key))
  })

  verifies('state.key-deleted', async () => {
    const { id, key } = await inDashboard('create_developer_key', { name: 'Gone' })
    expect(await statusWith(key)).toBe(200)
    await inDashboard('delete_developer_key', { id })
    expect(await statusWith(key)).toBe(401)
  })

  const openedBy = [
    ['scope.apps-read', 'apps:read', 'list_apps'],
    ['scope.apps-write', 'apps:write', 'create_app'],
    ['scope.knowledge-read', 'knowledge:read', 'list_knowledge_sources'],
    ['scope.knowledge-write', 'knowledge:write', 'add_knowledge_source'],
    ['scope.actions-read', 'actions:read', 'list_custom_actions'],
    ['scope.actions-write', 'actions:write', 'create_custom_action'],
    ['scope.analytics-read', 'analytics:read', 'get_app_analytics'],
    ['scope.workspace-read', 'workspace:read', 'list_workspaces'],
    ['scope.workspace-write', 'workspace:write', 'create_workspace'],
  ] as const
  const others = (scope: Scope) => openedBy.map(([, other]) => other).filter((one) => one !== scope)

  // The ids are in the table above. They are repeated here for `uncited.test.ts`.
  verifies(
    [
      'scope.apps-read',
      'scope.apps-write',
      'scope.knowledge-read',
      'scope.knowledge-write',
      'scope.actions-read',
      'scope.actions-write',
      'scope.analytics-read',
      'scope.workspace-read',
      'scope.workspace-write',
    ],
    async () => {
      for (const [, scope, tool] of openedBy) {
        // The input is incomplete: the test compares only whether the scope allowed the call.
        expect([scope, await statusOf([scope], tool, { app_id: appId })]).toEqual([scope, 200])
        expect([tool, await statusOf(others(scope), tool, {})]).toEqual([tool, 403])
      }
    },
  )

  verifies(['scope.billing-read', 'mcp.purpose.billing'], async () => {
    expect(await statusOf(['billing:read'], 'get_subscription', {})).toBe(200)
    expect(await statusOf(['workspace:read'], 'get_subscription', {})).toBe(403)
    expect(await statusOf(['billing:read'], 'get_credits', {})).toBe(200)
    expect(await statusOf(['workspace:read'], 'get_credits', {})).toBe(403)
    expect(await statusOf(['billing:read'], 'list_credit_transactions', {})).toBe(200)
  })

  verifies('condition.scope-not-authorized', async () => {
    const key = await service.makeKey(service.owner, { scopes: ['apps:read'] })
    const params = { name: 'delete_app', arguments: { app_id: appId } }
    const response = await service.post({ ...ping, method: 'tools/call', params }, { key })
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toContain('scope="apps:write"')
    expect((await answerOf(response)).error.message).toBe(
      'Scope not authorized: this tool needs apps:write',
    )
  })

  verifies('condition.invalid-token-format', async () => {
    for (const key of [service.key.slice(0, -1), 'svc_sk_', 'corrupted']) {
      const response = await service.post(ping, { key })
      expect(response.status).toBe(401)
      expect((await answerOf(response)).error.message).toBe('Invalid token format')
    }
  })
})
