import { beforeAll, expect, test } from 'vitest'
import { createAgent, deleteAgent, type Agent } from '#features/agents/index.ts'
import { hashToken } from '#kernel/tokens.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { placeOfRecord } from '#features/workspaces/index.ts'
import { createAgentKey, listAgentKeys, revokeAgentKey, touchKey } from './index.ts'

describeInstance('chat keys', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Keyed' })
  })

  function issue(name = 'Site') {
    return createAgentKey(instance.ctx, ada, { kind: 'chat', appId: agent.appNameId, name })
  }

  function row(id: string) {
    return instance.ctx.db.read
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }

  test('a key is shown once: the database stores only its hash and last four characters', async () => {
    const issued = await issue()
    expect(issued.key).toMatch(/^svc_ck_[0-9A-Za-z]{49}$/)
    const stored = await row(issued.id)
    expect(stored).toMatchObject({
      kind: 'chat',
      hash: hashToken(issued.key),
      last4: issued.key.slice(-4),
      agent_id: agent.id,
    })
    expect(JSON.stringify(stored)).not.toContain(issued.key.slice(7, -4))
    const { items } = await listAgentKeys(
      instance.ctx,
      ada.workspaceId,
      { kind: 'chat', appId: agent.id },
      { limit: 100 },
    )
    expect(JSON.stringify(items)).not.toContain(issued.key.slice(7, -4))
    expect(items.map(({ id }) => id)).toContain(issued.id)
  })

  test('a revoked key leaves the list, and revoking it again keeps the first time', async () => {
    const issued = await issue()
    const revoked = await revokeAgentKey(instance.ctx, ada.workspaceId, 'chat', issued.id)
    expect(revoked.revokedAt).toBe(instance.ctx.clock.now())
    instance.advance(5000)
    expect(await revokeAgentKey(instance.ctx, ada.workspaceId, 'chat', issued.id)).toEqual(revoked)
    expect((await row(issued.id)).revoked_at).toBe(revoked.revokedAt)
    const { items } = await listAgentKeys(
      instance.ctx,
      ada.workspaceId,
      { kind: 'chat', appId: agent.id },
      { limit: 100 },
    )
    expect(items.map(({ id }) => id)).not.toContain(issued.id)
  })

  test('a key of another workspace or kind cannot be revoked', async () => {
    const issued = await issue()
    const bob = await instance.person()
    const notFound = { code: 'record_not_found' }
    const { ctx } = instance
    await expect(revokeAgentKey(ctx, bob.workspaceId, 'chat', issued.id)).rejects.toMatchObject(
      notFound,
    )
    await expect(revokeAgentKey(ctx, ada.workspaceId, 'acp', issued.id)).rejects.toMatchObject(
      notFound,
    )
    expect((await row(issued.id)).revoked_at).toBeNull()
    const { workspaceId, agentId } = issued
    const place = await placeOfRecord(ctx, 'api_keys', issued.id)
    expect(place).toEqual({ workspaceId, agentId })
  })

  test('no key is created for an agent of another workspace, nor for a deleted one', async () => {
    const bob = await instance.person()
    const notFound = { code: 'record_not_found' }
    const input = { appId: agent.id, name: 'Theirs' }
    await expect(
      createAgentKey(instance.ctx, bob, { kind: 'chat', ...input }),
    ).rejects.toMatchObject(notFound)
    const gone = await createAgent(instance.ctx, ada, { name: 'Gone' })
    await deleteAgent(instance.ctx, ada.workspaceId, gone.id)
    await expect(
      createAgentKey(instance.ctx, ada, { kind: 'chat', appId: gone.id, name: 'x' }),
    ).rejects.toMatchObject(notFound)
  })

  test('a key with an expiry shows it', async () => {
    const input = { appId: agent.id, name: 'Short', expiresIn: '30d' } as const
    const issued = await createAgentKey(instance.ctx, ada, { kind: 'chat', ...input })
    expect(issued.expiresAt).toBe(instance.ctx.clock.now() + 30 * 86_400_000)
  })

  test('its use is recorded at most once a minute, also by several processes', async () => {
    const { id } = await issue()
    const start = instance.ctx.clock.now()
    await touchKey(instance.ctx, id, start)
    expect((await row(id)).last_used_at).toBe(start)
    await touchKey(instance.ctx, id, start + 59_999)
    expect((await row(id)).last_used_at).toBe(start)
    await noteElsewhere(id, start + 60_000)
    await touchKey(instance.ctx, id, start + 60_001)
    expect((await row(id)).last_used_at).toBe(start + 60_000)
    await touchKey(instance.ctx, id, start + 120_001)
    expect((await row(id)).last_used_at).toBe(start + 120_001)
  })

  function noteElsewhere(id: string, at: number) {
    return instance.ctx.db.write((tx) =>
      tx.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute(),
    )
  }

  test('a failure to record its use is logged and does not throw', async () => {
    const { id } = await issue()
    const warnings: unknown[] = []
    const broken = {
      db: { prepared: () => ({ writeByKey: () => Promise.reject(new Error('no disk')) }) },
      log: { warn: (...words: unknown[]) => warnings.push(words) },
    } as unknown as Parameters<typeof touchKey>[0] // Only what touchKey calls.
    await touchKey(broken, id, 0)
    expect(warnings).toHaveLength(1)
  })
})
