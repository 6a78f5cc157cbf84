import { sql, type Kysely } from 'kysely'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Schema } from '#platform/db/schema.ts'
import { sessionRow, type CheckoutSession } from './checkout-session.ts'
import { answerRecord, type RepeatableRequest } from './idempotency.ts'
import type { RecordId, RecordRow } from './idempotency-store.ts'
import type { SessionRow } from './session-store.ts'

/**
 * Stores a new session, and its request's answer, as one statement. The record's row decides between
 * two requests with the same key, even at READ COMMITTED: the session is stored only with its record.
 *
 * @param open creates the session from what it reads outside a unit
 * @param admit runs before the session is stored, and can refuse it
 * @returns null when nothing was stored: the request was refused or has been answered, or the engine
 *   needs a unit for both rows; a unit then gives the answer
 */
export async function insertOnce(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  identity: string,
  request: RepeatableRequest | null,
  open: (now: number) => Promise<CheckoutSession>,
  admit: () => Promise<void>,
): Promise<CheckoutSession | null> {
  if (request !== null && db.engine === 'sqlite') return null
  const now = clock.now()
  const [known, session] = await Promise.all([
    request === null ? false : isKnown(db, identity, request, now),
    open(now).catch(refusedAsNull),
  ])
  if (known || session === null) return null
  await admit()
  const row = sessionRow(session)
  if (request === null) {
    await db.prepared(insertSession).writeByKey(row)
    return session
  }
  const record = answerRecord(identity, request, session, now)
  const values = { ...prefixed(record), ...row }
  const stored = await db.prepared(insertBoth).writeByKey(values)
  return stored.length === 0 ? null : session
}

/** A refusal is an answer too, which is recorded in a unit. */
function refusedAsNull(error: unknown): null {
  if (error instanceof Fault) return null
  throw error
}

async function isKnown(
  db: Context['db'],
  identity: string,
  { path, key }: RepeatableRequest,
  now: number,
): Promise<boolean> {
  const known = await db.prepared(recordOf).read({ identity, path, key, now })
  return known.length > 0
}

const recordOf = (db: Kysely<Schema>, given: RecordId & { readonly now: number }) =>
  db
    .selectFrom('idempotency_records')
    .select('key')
    .where('key', '=', given.key)
    .where('identity', '=', given.identity)
    .where('path', '=', given.path)
    .where('expires_at', '>', given.now)

/** The columns of a session, with their types. */
const sessionColumns = {
  id: 'text',
  workspace_id: 'text',
  agent_id: 'text',
  api_key_id: 'text',
  status: 'text',
  currency: 'text',
  choices_json: 'text',
  quote_json: 'text',
  payment_id: 'text',
  order_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
  expires_at: 'bigint',
} as const satisfies Record<keyof SessionRow, 'text' | 'bigint'>
// The keys of an object literal are those of its type.
const columnNames = Object.keys(sessionColumns) as (keyof SessionRow)[]

const insertSession = (db: Kysely<Schema>, given: SessionRow) =>
  db.insertInto('checkout_sessions').values(
    // All columns are listed: each value is of its column.
    Object.fromEntries(columnNames.map((name) => [name, given[name]])) as unknown as SessionRow,
  )

type Both = SessionRow & { readonly [Name in keyof RecordRow as `record_${Name}`]: RecordRow[Name] }

/** The key comes first: batches lock their rows in its order. */
const insertBoth = (db: Kysely<Schema>, given: Both) => {
  const names = sql.join(columnNames.map((name) => sql.ref(name)))
  const values = columnNames.map((name) => sql`${given[name]}::${sql.raw(sessionColumns[name])}`)
  return sql<{ id: string }>`
    with record as (
      insert into idempotency_records (
        key, identity, path, request_hash, outcome_json, payment_id, lease_until, created_at, expires_at
      ) values (
        ${given.record_key}, ${given.record_identity}, ${given.record_path},
        ${given.record_request_hash}, ${given.record_outcome_json}, ${given.record_payment_id},
        ${given.record_lease_until}, ${given.record_created_at}, ${given.record_expires_at}
      )
      on conflict (identity, path, key) do update set
        request_hash = excluded.request_hash, outcome_json = excluded.outcome_json,
        payment_id = excluded.payment_id, lease_until = excluded.lease_until,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      where idempotency_records.expires_at <= excluded.created_at
      returning key
    )
    insert into checkout_sessions (${names}) select ${sql.join(values)} from record returning id
  `.compile(db)
}

function prefixed(record: RecordRow): Pick<Both, `record_${keyof RecordRow}`> {
  return {
    record_identity: record.identity,
    record_path: record.path,
    record_key: record.key,
    record_request_hash: record.request_hash,
    record_outcome_json: record.outcome_json,
    record_payment_id: record.payment_id,
    record_lease_until: record.lease_until,
    record_created_at: record.created_at,
    record_expires_at: record.expires_at,
  }
}
