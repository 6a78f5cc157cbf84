import { beforeAll, expect, test } from 'vitest'
import { createAgent, deleteAgent } from '#features/agents/index.ts'
import { createAgentKey, createDeveloperKey, revokeAgentKey } from '#features/api-keys/index.ts'
import { authenticateBearer } from '#features/grants/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { until } from '#test/support/until.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

interface Listed {
  readonly items: readonly { readonly name: string }[]
  readonly next_cursor: string | null
}

describeInstance('the report of unused keys and connected apps', (open) => {
  let instance: TestInstance
  let owner: Person
  let member: Person

  async function report(input: Readonly<Record<string, unknown>> = {}, by = owner) {
    const operation = findOperation('list_unused_credentials')
    if (operation === undefined) throw new Error('no operation')
    const actor = { ...actorOf(by), workspaceId: owner.workspaceId }
    const answer = await runOperation(instance.ctx, actor, operation, input)
    return answer as unknown as Listed // The output schema checked it.
  }

  const names = async (input?: Readonly<Record<string, unknown>>) =>
    (await report(input)).items.map(({ name }) => name)

  beforeAll(async () => {
    // Grants outlive the report's days.
    instance = await open({ OAUTH_REFRESH_TOKEN_TTL_SECONDS: String(365 * 24 * 60 * 60) })
    owner = await instance.person({ plan: 'builder' })
    member = await instance.person()
    await instance.join(member, owner.workspaceId, 'editor')
    const { ctx } = instance
    const agent = await createAgent(ctx, owner, { name: 'Keyed' })
    const gone = await createAgent(ctx, owner, { name: 'Gone' })
    const common = { kind: 'chat', appId: agent.id } as const
    await createAgentKey(ctx, owner, { ...common, name: 'chat' })
    await createAgentKey(ctx, owner, { ...common, kind: 'acp', name: 'checkout' })
    await createAgentKey(ctx, owner, { ...common, name: 'short', expiresIn: '30d' })
    await createAgentKey(ctx, owner, { ...common, appId: gone.id, name: 'of a deleted agent' })
    const revoked = await createAgentKey(ctx, owner, { ...common, name: 'revoked' })
    await revokeAgentKey(ctx, owner.workspaceId, 'chat', revoked.id)
    await deleteAgent(ctx, owner.workspaceId, gone.id)
    const holder = { ...member, workspaceId: owner.workspaceId, role: 'editor' } as const
    const used = await createDeveloperKey(ctx, holder, { name: 'used' })
    await createDeveloperKey(ctx, holder, { name: 'bound', agents: [agent.id] })
    await grantFlow(instance, owner)
    instance.advance(60 * dayMs)
    await authenticateBearer(ctx, used.key)
    await until('the use is stored', async () => {
      const row = ctx.db.read.selectFrom('api_keys').select('last_used_at')
      return (await row.where('id', '=', used.id).executeTakeFirstOrThrow()).last_used_at !== null
    })
    instance.advance(40 * dayMs)
    await createAgentKey(ctx, owner, { ...common, name: 'new' })
  })

  test('lists what works and was not used for so long, newest first', async () => {
    expect(await names()).toEqual(['Command-line MCP client', 'bound', 'checkout', 'chat'])
    expect(await names({ days: 30 })).toContain('used')
    expect(await names({ days: 30 })).not.toContain('new')
    expect(await names({ days: 101 })).toEqual([])
  })

  test('shows kind, user, bounds and checksum', async () => {
    const { items } = await report()
    const app = {
      kind: 'connected_app',
      user_email: owner.email,
      is_bound: false,
      has_checksum: null,
    }
    const bound = { kind: 'developer_key', user_email: member.email, is_bound: true }
    expect(items).toMatchObject([
      app,
      { ...bound, has_checksum: true, last_used_at: null },
      { kind: 'checkout_key', is_bound: true, has_checksum: null },
      { kind: 'chat_key', is_bound: true, has_checksum: true },
    ])
  })

  test('has pages', async () => {
    const first = await report({ limit: 3 })
    const second = await report({ limit: 3, cursor: first.next_cursor })
    expect([...first.items, ...second.items]).toEqual((await report()).items)
    expect(second.next_cursor).toBeNull()
  })

  test('is for owners and admins, and shows nothing of other workspaces', async () => {
    await expect(report({}, member)).rejects.toMatchObject({ code: 'permission_denied' })
    const elsewhere = await instance.person()
    await expect(report({}, elsewhere)).rejects.toMatchObject({ code: 'record_not_found' })
  })
})
