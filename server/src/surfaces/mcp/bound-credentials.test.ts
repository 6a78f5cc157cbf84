import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { createDeveloperKey } from '#features/api-keys/index.ts'
import { listConnectedApps } from '#features/grants/index.ts'
import { createWorkspace, putOnPlan, type Workspace } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeMcp, type McpService } from '#test/support/mcp-service.ts'
import { grantFlow, refresh } from '#test/support/identity/oauth-flow.ts'

describeMcp('a bound credential', (open) => {
  let service: McpService
  let second: Workspace
  let agent: Agent
  let sibling: Agent
  let other: Agent

  beforeAll(async () => {
    service = await open({ environment: { DEFAULT_PLAN: 'builder' } })
    const { ctx, owner } = service
    second = await createWorkspace(ctx, owner.userId, { name: 'Second' })
    await ctx.db.write((tx) => putOnPlan(tx, ctx.clock.now(), second.id, 'studio'))
    agent = await createAgent(ctx, owner, { name: 'Bound' })
    sibling = await createAgent(ctx, owner, { name: 'Sibling' })
    other = await createAgent(ctx, { ...owner, workspaceId: second.id }, { name: 'Other' })
  })

  type Picked = Partial<Record<'workspaces' | 'agents', readonly string[]>>

  const credentials = {
    'developer key': async (picked: Picked) => {
      const holder = { ...service.owner, role: 'owner' } as const
      return (await createDeveloperKey(service.ctx, holder, { name: 'CI', ...picked })).key
    },
    'access token': async (picked: Picked) =>
      (await grantFlow(service, service.owner, { picked })).accessToken,
  }

  const textOf = async (key: string, tool: string, input: object) => {
    const { isError, content } = await service.call(tool, input, { key })
    return { isError, text: content[0]?.text }
  }

  const found = async (key: string) => {
    const { structuredContent } = await service.call('list_apps', {}, { key })
    return (structuredContent.items as { id: string }[]).map(({ id }) => id) // A list of agents.
  }

  describe.each(Object.entries(credentials))('%s', (_, issue) => {
    test('for one agent lists and opens only that agent', async () => {
      const key = await issue({ agents: [agent.id] })
      expect(await found(key)).toEqual([agent.id])
      const unknown = await textOf(key, 'get_app', { app_id: newId() })
      expect(unknown.isError).toBe(true)
      for (const app_id of [sibling.id, sibling.appNameId, other.id])
        expect(await textOf(key, 'get_app', { app_id })).toEqual(unknown)
      expect((await textOf(key, 'get_app', { app_id: agent.id })).isError).toBeUndefined()
    })

    test('for one workspace does not enter another, by no argument', async () => {
      const key = await issue({ workspaces: [service.owner.workspaceId] })
      expect(await found(key)).toEqual([sibling.id, agent.id])
      const unknown = await textOf(key, 'list_apps', { workspace_id: newId() })
      expect(unknown.isError).toBe(true)
      expect(await textOf(key, 'list_apps', { workspace_id: second.id })).toEqual(unknown)
    })

    test('learns nothing of another workspace from the rate limit', async () => {
      const key = await issue({ agents: [agent.id] })
      const limitFor = async (args: object) => {
        const params = { name: 'get_app', arguments: args }
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
        return (await service.post(body, { key })).headers.get('x-ratelimit-limit')
      }
      const own = await limitFor({ app_id: agent.id })
      expect(await limitFor({ app_id: other.id })).toBe(own)
      expect(await limitFor({ app_id: agent.id, workspace_id: second.id })).toBe(own)
    })

    test('lists the same tools as one without bounds', async () => {
      const key = await issue({ agents: [agent.id] })
      const all = await service.rpc('tools/list')
      expect((await service.rpc('tools/list', undefined, { key })).result).toEqual(all.result)
    })
  })

  test('an access token starts in a workspace within reach, whichever was chosen', async () => {
    const { accessToken: key } = await grantFlow(service, service.owner, {
      picked: { agents: [other.id] },
    })
    expect(await found(key)).toEqual([other.id])
    const { structuredContent } = await service.call('whoami', {}, { key })
    expect(structuredContent).toMatchObject({
      workspace: { id: second.id },
      reach: { workspaces: [], agents: [{ id: other.id, name: 'Other' }] },
    })
  })

  test('a refresh keeps the bounds, and authorizing again replaces them', async () => {
    const first = await grantFlow(service, service.owner, { picked: { agents: [agent.id] } })
    const next = await refresh(service, first.refreshToken)
    expect(next.scopes).toEqual(['*'])
    expect(await found(next.accessToken)).toEqual([agent.id])
    const again = await grantFlow(service, service.owner, { picked: { agents: [sibling.id] } })
    expect(await found(again.accessToken)).toEqual([sibling.id])
    const free = await grantFlow(service, service.owner)
    expect(await found(free.accessToken)).toEqual([sibling.id, agent.id])
    const page = await listConnectedApps(service.ctx, service.owner.userId, { limit: 3 })
    expect(page.items.map(({ reach }) => reach?.agents ?? null)).toEqual([
      null,
      { [sibling.id]: service.owner.workspaceId },
      { [agent.id]: service.owner.workspaceId },
    ])
  })

  test('nobody binds a grant to what is not theirs', async () => {
    const stranger = await service.person()
    const flow = grantFlow(service, stranger, { picked: { agents: [agent.id] } })
    await expect(flow).rejects.toMatchObject({ code: 'reach_unknown' })
  })
})
