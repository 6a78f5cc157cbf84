import { sql, type RawBuilder } from 'kysely'
import { orderRow } from '../../server/src/features/orders/order.ts'
import type { Database } from '../../server/src/platform/db/database.ts'

/** Grows a database by direct inserts: the engine generates the rows itself. */

export interface Place {
  readonly workspaceId: string
  readonly agentId: string
  readonly userId: string
}

export const perSession = 10
const dayMs = 86_400_000
const days = 90
const slice = 10_000

/** A user with many sessions; the others have about ten each. */
export const frequentUser = 'user-0'
export const frequentSessions = 3_000
/** What one session in 60,000 has, and one audit event, ledger entry and order. */
export const rare = {
  model: 'rare/model',
  source: 'kiosk',
  kind: 'purchase' as const,
  every: 60_000,
}

export async function fill(db: Database, place: Place, sessions: number): Promise<void> {
  const end = Date.now() - dayMs / 24
  const step = Math.floor((days * dayMs) / sessions)
  const begun = sql`(${sql.lit(end - step * sessions)} + n * ${sql.lit(step)})`
  await addKey(db, place)
  const every = Math.max(2, Math.floor(sessions / frequentSessions))
  const endUser = sql`case when n % ${sql.lit(every)} = 0 then ${frequentUser}
    else 'user-' || cast(n * 7919 % 30000 as text) end`
  for (let at = 0; at < sessions; at += slice) {
    const numbers = numbersOf(db, at, Math.min(at + slice, sessions))
    await db.write(async (tx) => {
      for (const insert of [addSessions, addMessages, addRecords])
        for (const statement of insert(db, { ...place, endUser }, begun, numbers))
          await statement.execute(tx)
    })
  }
}

const keyId = '00000008-0000-7000-8000-000000000000'

async function addKey(db: Database, { workspaceId, userId }: Place): Promise<void> {
  const key = { id: keyId, kind: 'checkout', hash: keyId, last4: '0000', name: 'bench' }
  const owner = { workspace_id: workspaceId, user_id: userId }
  await db.write((tx) =>
    sql`insert into api_keys (${sql.join(Object.keys({ ...key, ...owner }).map((name) => sql.ref(name)))}, created_at)
      values (${sql.join(Object.values({ ...key, ...owner }))}, 0)`.execute(tx),
  )
}

type Insert = (
  db: Database,
  place: Place & { readonly endUser: RawBuilder<unknown> },
  begun: RawBuilder<unknown>,
  numbers: RawBuilder<unknown>,
) => readonly RawBuilder<unknown>[]

const isRare = sql`n % ${sql.lit(rare.every)} = 7`

const addSessions: Insert = (db, { workspaceId, agentId, endUser }, begun, numbers) => [
  sql`
    insert into chat_sessions (id, workspace_id, agent_id, agent_version, source, end_user,
      created_at, last_message_at, message_count, lease_until)
    select ${uuid(db, sql`n`, 1)}, ${workspaceId}, ${agentId}, 1,
      case when ${isRare} then ${rare.source} when n % 3 = 0 then 'dashboard' else 'api' end,
      ${endUser}, ${begun}, ${begun} + 40000, case when ${isRare} then 80 else ${sql.lit(perSession)} end, 0
    from ${numbers}`,
]

const addMessages: Insert = (db, _place, begun, numbers) => [
  sql`
    insert into chat_messages (session_id, seq, id, role, content, model, prompt_tokens,
      completion_tokens, latency_ms, first_token_ms, finish_reason, error_code, citations_json,
      created_at)
    select ${uuid(db, sql`n`, 1)}, q, ${uuid(db, sql`n * 16 + q`, 2)},
      case when q % 2 = 1 then 'user' else 'assistant' end,
      case when q % 2 = 1
        then 'Question ' || cast(n * 31 % 4000 as text) || ': when will my order number '
          || cast(n as text) || ' be delivered, and can I still change the address?'
        else 'Your order is on its way. You can change the address until it has left our '
          || 'warehouse, which takes two working days; then the carrier is the one to ask.' end,
      case when q % 2 = 0 then case when ${isRare} then ${rare.model} else 'local/extractive' end end,
      case when q % 2 = 0 then 300 + n % 500 end, case when q % 2 = 0 then 20 + n % 90 end,
      case when q % 2 = 0 then 150 + n * 7919 % 6000 end,
      case when q % 2 = 0 then 80 + n * 104729 % 900 end,
      case when q % 2 = 0 then 'stop' end,
      case when q = 2 and ${isRare} then 'model_timeout' end,
      case when q % 2 = 0 then case when n % 3 = 0 then '[]' else
        '[{"source_id":"' || ${uuid(db, sql`n % 40`, 7)} || ${citation}
      end end,
      ${begun} + (q - 1) * 4000
    from ${numbers}
    cross join (${valuesTo(perSession)}) as turns`,
]

/** After the id of the source. */
const citation =
  '","title":"Shipping","url":null,"page":null,"heading":"","passage":"Two working days.","score":1}]'

const addRecords: Insert = (db, { workspaceId, agentId, endUser }, begun, numbers) => [
  sql`
    insert into chat_feedback (message_id, session_id, workspace_id, agent_id, rating, created_at,
      updated_at)
    select ${uuid(db, sql`n * 16 + 2`, 2)}, ${uuid(db, sql`n`, 1)}, ${workspaceId}, ${agentId},
      case when ${isRare} then -1 else 1 end, ${begun} + 9000, ${begun} + 9000
    from ${numbers} where n % 50 = 7`,
  sql`
    insert into credit_entries (id, workspace_id, kind, amount_micros, agent_id, session_id,
      end_user, counted_at, created_at)
    select ${uuid(db, sql`n * 8 + q`, 3)}, ${workspaceId},
      case when q = 1 and ${isRare} then ${rare.kind} else 'turn' end, -(100 + n % 900), ${agentId},
      ${uuid(db, sql`n`, 1)},
      ${endUser}, ${begun}, ${begun} + q * 8000
    from ${numbers}
    cross join (${valuesTo(perSession / 2)}) as turns`,
  sql`
    insert into audit_events (id, workspace_id, face, action, target, outcome, created_at)
    select ${timeId(db, begun)}, ${workspaceId}, 'mcp',
      case when ${isRare} then 'delete_app' else 'update_app' end,
      case when ${isRare} then 'rare-target' else ${agentId} end,
      case when ${isRare} then 'refused' else 'done' end, ${begun}
    from ${numbers}`,
  sql`
    insert into checkout_sessions (id, workspace_id, agent_id, api_key_id, status, currency,
      choices_json, quote_json, created_at, updated_at, expires_at)
    select ${uuid(db, sql`n`, 4)}, ${workspaceId}, ${agentId}, ${keyId}, 'completed', 'EUR', '{}',
      '{}', ${begun}, ${begun}, ${begun}
    from ${numbers} where n % 10 = 7`,
  sql`
    insert into orders (id, workspace_id, agent_id, session_id, number, receipt_key, status,
      currency, total_amount, is_test, document_json, created_at, updated_at)
    select ${uuid(db, sql`n`, 5)}, ${workspaceId}, ${agentId}, ${uuid(db, sql`n`, 4)}, 1000 + n,
      ${uuid(db, sql`n`, 6)}, case when ${isRare} then 'canceled' else 'confirmed' end, 'EUR', ${sql.lit(total)},
      1, ${orderDocument}, ${begun}, ${begun}
    from ${numbers} where n % 10 = 7`,
]

const total = 1999

const orderDocument = orderRow({
  id: '',
  workspaceId: '',
  agentId: '',
  sessionId: '',
  number: 0,
  receiptKey: '',
  status: 'confirmed',
  currency: 'EUR',
  isTest: true,
  createdAt: 0,
  updatedAt: 0,
  buyer: null,
  recipient: null,
  lines: [],
  totals: {
    itemsBase: total,
    itemsDiscount: 0,
    subtotal: total,
    fulfillment: null,
    tax: 0,
    taxIncluded: true,
    taxBreakdown: [],
    total,
  },
  deliveries: [],
  fulfillments: [],
  refunds: [],
  notes: null,
  support: {},
}).document_json

function valuesTo(most: number): RawBuilder<unknown> {
  const rows = Array.from({ length: most }, (_, n) => sql`select ${sql.lit(n + 1)}`)
  return sql.join([sql`select 1 as q`, ...rows.slice(1)], sql` union all `)
}

function numbersOf(db: Database, from: number, to: number): RawBuilder<unknown> {
  return db.engine === 'postgres'
    ? sql`(select n from generate_series(${sql.lit(from)}::bigint, ${sql.lit(to - 1)}) as n) as numbers`
    : sql`(
        with recursive counted (n) as (
          select ${sql.lit(from)} union all select n + 1 from counted where n < ${sql.lit(to - 1)}
        ) select n from counted
      ) as numbers`
}

function hex(db: Database, number: RawBuilder<unknown>): RawBuilder<unknown> {
  return db.engine === 'postgres'
    ? sql`lpad(to_hex((${number})::bigint), 12, '0')`
    : sql`printf('%012x', ${number})`
}

function uuid(db: Database, number: RawBuilder<unknown>, kind: number): RawBuilder<unknown> {
  return sql`'0000000' || ${sql.lit(String(kind))} || '-0000-7000-8000-' || ${hex(db, number)}`
}

/** Of UUID version 7. */
function timeId(db: Database, at: RawBuilder<unknown>): RawBuilder<unknown> {
  const digits = hex(db, at)
  return sql`substr(${digits}, 1, 8) || '-' || substr(${digits}, 9, 4) || '-7000-8000-' || ${hex(db, sql`n`)}`
}
