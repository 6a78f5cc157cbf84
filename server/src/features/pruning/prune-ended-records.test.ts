import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { prunePlan, type Pruned } from './prune-plan.ts'
import { pruneEndedRecords } from './prune-ended-records.ts'

type Row = Readonly<Record<string, string | number | null>>

const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }

describeInstance('records that ended', (open) => {
  let instance: TestInstance
  let owner: Person
  let agentId: string
  let old: number
  let recent: number

  beforeAll(async () => {
    instance = await open({
      ENDED_RECORD_DAYS: '60',
      ENDED_CHECKOUT_DAYS: '40',
      WEBHOOK_DELIVERY_DAYS: '20',
    })
    owner = await instance.person()
    agentId = (await createAgent(instance.ctx, owner, { name: 'Shop' })).id
  })

  async function insert(table: Pruned['table'], row: Row): Promise<void> {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
    const values = sql`${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`
    await instance.ctx.db.write((tx) => sql`insert into ${values}`.execute(tx))
  }

  async function idsIn(table: Pruned['table'], id = 'id'): Promise<unknown[]> {
    const read = sql<{
      id: string
    }>`select ${sql.ref(id)} as id from ${sql.table(table)} order by 1`
    return (await read.execute(instance.ctx.db.read)).rows.map(({ id }) => id)
  }

  const ofAgent = (id: string) => ({ id, workspace_id: owner.workspaceId, agent_id: agentId })
  const key = (id: string, ends: Row) =>
    insert('api_keys', {
      ...ofAgent(id),
      kind: 'acp',
      hash: id,
      last4: '1234',
      name: id,
      user_id: owner.userId,
      created_at: 1,
      ...ends,
    })
  const checkout = (id: string, status: string, updated_at: number, api_key_id = 'key-live') =>
    insert('checkout_sessions', {
      ...ofAgent(id),
      api_key_id,
      status,
      currency: 'usd',
      choices_json: '{}',
      quote_json: '{}',
      created_at: 1,
      updated_at,
      expires_at: updated_at,
    })
  const payment = (id: string, session_id: string, status: string, updated_at: number) =>
    insert('payments', {
      ...ofAgent(id),
      kind: 'charge',
      session_id,
      provider: 'test',
      status,
      amount: 5,
      currency: 'usd',
      created_at: 1,
      updated_at,
    })
  const webhook = (id: string, deleted_at: number | null) =>
    insert('webhook_endpoints', {
      ...ofAgent(id),
      url: 'https://shop.example',
      secret_sealed: 'x',
      created_at: 1,
      deleted_at,
    })
  const delivery = (id: string, endpoint_id: string, status: string, created_at: number) =>
    insert('webhook_deliveries', {
      ...ofAgent(id),
      endpoint_id,
      order_id: 'order',
      event_type: 'order_create',
      payload: '{}',
      status,
      attempts: 1,
      created_at,
    })
  const product = (id: string, deleted_at: number | null) =>
    insert('products', {
      ...ofAgent(id),
      name: id,
      description: '',
      price_amount: 5,
      currency: 'usd',
      images_json: '[]',
      categories_json: '[]',
      fulfillment_type: 'digital',
      active: 1,
      created_at: 1,
      updated_at: 1,
      deleted_at,
    })
  const invitation = (id: string, expires_at: number, accepted_at: number | null = null) =>
    insert('invitations', {
      id,
      workspace_id: owner.workspaceId,
      role: 'viewer',
      token_hash: id,
      round: 1,
      invited_by: owner.userId,
      mail_status: 'none',
      created_at: 1,
      updated_at: 1,
      expires_at,
      accepted_at,
    })
  const purchase = (id: string, created_at: number, completed_at: number | null) =>
    insert('billing_checkouts', {
      id,
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      plan: 'studio',
      created_at,
      completed_at,
    })

  const joined = (visitor: string, ends_at: number) =>
    insert('joined_visitors', { agent_id: agentId, visitor, end_user: 'ada', ends_at })

  async function fill(): Promise<void> {
    await key('key-live', {})
    await key('key-revoked', { revoked_at: old })
    await key('key-expired', { expires_at: old })
    await key('key-revoked-late', { revoked_at: recent })
    await key('key-that-sold', { revoked_at: old })
    await checkout('paid', 'completed', old, 'key-that-sold')
    await checkout('canceled', 'canceled', old)
    await checkout('expired', 'expired', old)
    await checkout('expired-late', 'expired', recent)
    await checkout('charged-late', 'canceled', old)
    await payment('declined', 'paid', 'declined', old)
    await payment('declined-of-canceled', 'canceled', 'declined', old)
    await payment('declined-late', 'paid', 'declined', recent)
    await payment('paying', 'paid', 'succeeded', old)
    await payment('stray', 'charged-late', 'stray', old)
    await insert('orders', {
      ...ofAgent('order'),
      session_id: 'paid',
      number: 1001,
      status: 'created',
      is_test: 1,
      currency: 'usd',
      total_amount: 5,
      document_json: '{}',
      receipt_key: 'r',
      created_at: old,
      updated_at: old,
    })
    await webhook('webhook', null)
    await webhook('webhook-deleted', old)
    await webhook('webhook-in-use', old)
    await delivery('delivered', 'webhook-deleted', 'delivered', old)
    await delivery('failed', 'webhook', 'failed', old)
    await delivery('delivered-late', 'webhook', 'delivered', recent)
    await delivery('pending', 'webhook-in-use', 'pending', old)
    await product('product', null)
    await product('product-deleted', old)
    await product('product-deleted-late', recent)
    await invitation('invited', old)
    await invitation('joined', old, old - 1)
    await invitation('invited-late', recent)
    await purchase('begun', old, null)
    await purchase('begun-late', recent, null)
    await purchase('bought', old, old)
    await joined('visitor-ended', recent)
    await joined('visitor', instance.ctx.clock.now() + 1)
    for (let n = 0; n < 450; n += 1) await product(`many-${n}`, old)
  }

  test('are deleted after their days, unless something else needs them', async () => {
    const now = instance.ctx.clock.now()
    old = now - 61 * dayMs
    recent = now - 10 * dayMs
    await fill()
    await pruneEndedRecords.run(instance.ctx, {}, run)
    const left = Object.fromEntries(
      await Promise.all(
        prunePlan.map(async ({ table, key }) => [table, await idsIn(table, key?.at(-1))]),
      ),
    )
    expect(left).toEqual({
      webhook_deliveries: ['delivered-late', 'pending'],
      webhook_endpoints: ['webhook', 'webhook-in-use'],
      payments: ['declined-late', 'paying', 'stray'],
      checkout_sessions: ['charged-late', 'expired-late', 'paid'],
      api_keys: ['key-live', 'key-revoked-late', 'key-that-sold'],
      products: ['product', 'product-deleted-late'],
      invitations: ['invited-late'],
      billing_checkouts: ['begun-late', 'bought'],
      joined_visitors: ['visitor'],
    })
    expect(await idsIn('orders')).toEqual(['order'])
  })
})

describeInstance(
  'the search for records that ended',
  (open) => {
    test('uses an index for each table', async () => {
      const { db } = (await open()).ctx
      for (const { table, where } of prunePlan) {
        const { rows } = await sql<{ detail: string }>`
        explain query plan select 1 from ${sql.table(table)} where ${where(1)} limit 200
      `.execute(db.read)
        const scans = rows.filter(({ detail }) => detail.startsWith('SCAN'))
        expect([table, scans]).toEqual([table, []])
      }
    })
  },
  'sqlite',
)
