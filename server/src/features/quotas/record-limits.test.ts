import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, deleteAgent } from '#features/agents/index.ts'
import { createAgentKey, revokeAgentKey } from '#features/api-keys/index.ts'
import { importProducts, upsertProduct } from '#features/catalog/index.ts'
import { setCreditCap } from '#features/credits/index.ts'
import {
  addFileSource,
  addTextSource,
  addUrlSource,
  refreshSource,
} from '#features/ingestion/index.ts'
import { updateSource } from '#features/knowledge/index.ts'
import { inviteMember } from '#features/members/index.ts'
import { setProvider } from '#features/providers/index.ts'
import { createWebhookEndpoint } from '#features/webhooks/index.ts'
import { runOperation } from '#operations/run-operation.ts'
import { findOperation } from '#operations/catalogue.ts'
import { fixedLimits, limits } from '#kernel/limits.ts'
import { outcomeOf } from '#test/support/chat/credit-turns.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { listLimits } from './list-limits.ts'

const environment = {
  LIMITS: [
    'agents_per_workspace=3',
    'members_per_workspace=4',
    'invitations_per_workspace=2',
    'keys_per_workspace=2',
    'providers_per_workspace=2',
    'credit_caps_per_workspace=2',
    'storage_bytes_per_workspace=40',
    'queued_sources_per_workspace=1',
    'sources_per_agent=2',
    'products_per_agent=2',
    'webhooks_per_agent=2',
  ].join(),
}

describeInstance('limits of records', (open) => {
  let instance: TestInstance
  beforeAll(async () => {
    instance = await open(environment)
  })

  async function withAgent() {
    const owner = await instance.person()
    const { id } = await createAgent(instance.ctx, owner, { name: 'Helper' })
    return { owner, workspaceId: owner.workspaceId, appId: id }
  }

  type Place = Awaited<ReturnType<typeof withAgent>>

  /** How each record is created; `n` makes it unique. */
  const creating: Record<string, (place: Place, n: number) => Promise<unknown>> = {
    invitations_per_workspace: ({ owner }, n) =>
      inviteMember(instance.ctx, owner, { role: 'editor', email: `p${n}@example.com` }),
    keys_per_workspace: ({ owner, appId }, n) =>
      createAgentKey(instance.ctx, owner, { kind: 'chat', appId, name: `Key ${n}` }),
    providers_per_workspace: ({ workspaceId }, n) =>
      setProvider(instance.ctx, workspaceId, {
        provider: `own-${n}`,
        baseUrl: 'https://models.example.com/v1',
      }),
    credit_caps_per_workspace: ({ owner }, n) =>
      setCreditCap(instance.ctx, owner, {
        subject: 'end_user',
        subjectId: `user-${n}`,
        period: 'day',
        amountMicros: 5,
      }),
    sources_per_agent: ({ workspaceId, appId }, n) =>
      addTextSource(instance.ctx, workspaceId, { appId, title: `Text ${n}`, text: 'Short.' }),
    products_per_agent: ({ workspaceId, appId }, n) =>
      upsertProduct(instance.ctx, workspaceId, appId, { name: `Thing ${n}`, price_amount: 5 }),
    webhooks_per_agent: ({ workspaceId, appId }, n) =>
      createWebhookEndpoint(instance.ctx, workspaceId, appId, `https://shop.example.com/${n}`),
  }

  test.each(Object.keys(creating))(
    '%s cannot be exceeded, even by calls at the same time',
    async (name) => {
      const place = await withAgent()
      const create = creating[name]
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, n) => outcomeOf(create!(place, n))),
      )
      const expected = [...Array(2).fill('done'), ...Array(4).fill('limit_reached')]
      expect(outcomes.toSorted()).toEqual(expected)
      // Another workspace is not affected.
      expect(await outcomeOf(create!(await withAgent(), 7))).toBe('done')
    },
  )

  test('agents_per_workspace counts deleted agents until their purge', async () => {
    const { owner, appId } = await withAgent()
    const more = () => outcomeOf(createAgent(instance.ctx, owner, { name: 'More' }))
    await deleteAgent(instance.ctx, owner.workspaceId, appId)
    expect([await more(), await more(), await more()]).toEqual(['done', 'done', 'limit_reached'])
  })

  test('members_per_workspace counts members and open invitations', async () => {
    const { owner, workspaceId } = await withAgent()
    for (const role of ['admin', 'viewer'] as const)
      await instance.join(await instance.person(), workspaceId, role)
    const invite = (n: number) =>
      outcomeOf(inviteMember(instance.ctx, owner, { role: 'editor', email: `p${n}@example.com` }))
    // The second is below `invitations_per_workspace`.
    expect([await invite(1), await invite(2)]).toEqual(['done', 'limit_reached'])
  })

  test('storage_bytes_per_workspace counts the bytes of all agents’ sources', async () => {
    const { owner, workspaceId, appId } = await withAgent()
    const { id: second } = await createAgent(instance.ctx, owner, { name: 'Second' })
    const add = (agent: string, text: string) =>
      outcomeOf(addTextSource(instance.ctx, workspaceId, { appId: agent, title: 'Text', text }))
    expect(await add(appId, 'a'.repeat(30))).toBe('done')
    expect(await add(second, 'b'.repeat(11))).toBe('limit_reached')
    expect(await add(second, 'c'.repeat(10))).toBe('done')
  })

  test('queued_sources_per_workspace refuses a source that would wait, until others have been read', async () => {
    const { owner, workspaceId, appId } = await withAgent()
    const { ctx } = instance
    const text = { appId, title: 'Text', text: 'Short.' }
    const { id } = await addTextSource(ctx, workspaceId, text)
    await ctx.db.write((tx) => updateSource(tx, id, { status: 'failed' }))
    const page = { appId, kind: 'url', url: 'https://example.com/', refreshEvery: null } as const
    const crawl = { depth: 0, maxPages: 1, include: [], exclude: [], title: null }
    const { id: waiting } = await addUrlSource(ctx, workspaceId, { ...page, crawl })
    const refresh = (source: string) => outcomeOf(refreshSource(ctx, workspaceId, source))
    expect([await refresh(waiting), await refresh(id)]).toEqual(['done', 'limit_reached'])
    const { id: second } = await createAgent(ctx, owner, { name: 'Second' })
    const file = { appId: second, filename: 'a.txt', bytes: [Buffer.from('File.')] }
    const addMore = () =>
      Promise.all([
        outcomeOf(addUrlSource(ctx, workspaceId, { ...page, appId: second, crawl })),
        outcomeOf(addFileSource(ctx, workspaceId, file)),
      ])
    expect(await addMore()).toEqual(['limit_reached', 'limit_reached'])
    await ctx.db.write((tx) => updateSource(tx, waiting, { status: 'ready' }))
    expect((await addMore()).toSorted()).toEqual(['done', 'limit_reached'])
  })

  test('products_per_agent refuses an import as a whole', async () => {
    const { workspaceId, appId } = await withAgent()
    const csv = ['name,price_amount', 'A,1', 'B,2', 'C,3'].join('\n')
    const run = importProducts(instance.ctx, workspaceId, { appId, csv })
    expect(await outcomeOf(run)).toBe('limit_reached')
    const member = { userId: 'x', workspaceId }
    const { items } = await listLimits(instance.ctx, member, { limit: 100 })
    expect(items.find(({ limit }) => limit === 'products_per_agent')).toMatchObject({ used: 0 })
  })

  describe('list_limits', () => {
    async function usesOf(owner: Person) {
      const operation = findOperation('list_limits')!
      const { items } = await runOperation(instance.ctx, actorOf(owner), operation, { limit: 100 })
      return items as { limit: string; used: number; allowed: number; app_id: string | null }[]
    }

    test('shows what is used of every limit', async () => {
      const place = await withAgent()
      for (const create of Object.values(creating)) await create(place, 1)
      const key = await createAgentKey(instance.ctx, place.owner, {
        kind: 'acp',
        appId: place.appId,
        name: 'Old',
      })
      await revokeAgentKey(instance.ctx, place.workspaceId, 'acp', key.id)
      const uses = await usesOf(place.owner)
      // The longest conversation is not shown: every conversation would have to be read.
      const { messages_per_conversation: _, ...shown } = { ...limits, ...fixedLimits }
      expect(uses.map(({ limit }) => limit)).toHaveLength(Object.keys(shown).length)
      const used = Object.fromEntries(uses.map((use) => [use.limit, use.used]))
      expect(used).toEqual({
        workspaces_per_person: 1,
        agents_per_workspace: 1,
        members_per_workspace: 1,
        invitations_per_workspace: 1,
        keys_per_workspace: 1,
        providers_per_workspace: 1,
        credit_caps_per_workspace: 1,
        storage_bytes_per_workspace: 6,
        chunks_per_workspace: 1,
        queued_sources_per_workspace: 0,
        conversations_per_workspace: 0,
        messages_per_workspace: 0,
        message_bytes_per_workspace: 0,
        counted_users_per_workspace: 0,
        actions_per_agent: 0,
        variables_per_agent: 0,
        mcp_servers_per_agent: 0,
        domains_per_workspace: 0,
        sources_per_agent: 1,
        files_per_agent: 0,
        products_per_agent: 1,
        webhooks_per_agent: 1,
      })
      expect(uses.find(({ limit }) => limit === 'sources_per_agent')).toMatchObject({
        allowed: 2,
        app_id: place.appId,
      })
    })
  })
})
