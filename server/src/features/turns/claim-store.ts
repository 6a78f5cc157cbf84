import { sql, type Kysely, type QueryCreator } from 'kysely'
import type { Database, Reader, Tx, Value } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { farthestMs } from './lease-time.ts'
import {
  listed,
  messagesOf,
  messageValues,
  questionColumns,
  rowOf,
  shapeOf,
  statementsOf,
  type Next,
  type QuestionRow,
  type Shape,
} from './message-statements.ts'

/**
 * What a turn reads and writes to continue an existing session. As in turn-store.ts there are two
 * versions: a unit, for SQLite and for a session that is busy, and on PostgreSQL one statement, which
 * shares its batch with other turns.
 */

export const sessionOfId = (db: Kysely<Schema>, given: { id: string }) =>
  db
    .selectFrom('chat_sessions')
    .select(['agent_id', 'end_user', 'message_count', 'lease_token', 'lease_until'])
    .where('id', '=', given.id)

/** The end user of a session; null if it has none, or does not exist. */
export async function findEndUser(
  reader: Reader,
  agentId: string,
  id: string,
): Promise<string | null> {
  const row = await reader
    .selectFrom('chat_sessions')
    .select('end_user')
    .where('id', '=', id)
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  return row?.end_user ?? null
}

/** A step: names the end user of a session that began without one, so that erasure finds it. */
export async function nameEndUser(tx: Tx, id: string, endUser: string): Promise<void> {
  await tx
    .updateTable('chat_sessions')
    .set({ end_user: endUser })
    .where('id', '=', id)
    .where('end_user', 'is', null)
    .execute()
}

/** How much of a session is loaded: its newest messages, up to both limits, and the largest of them. */
export interface LoadLimit {
  readonly messages: number
  readonly bytes: number
}

/** At least as much as a request can contain, so that resent messages are recognised. */
export function historyBytes(config: {
  readonly maxHistoryBytes: number
  readonly maxBodyBytes: number
}): number {
  return Math.max(config.maxHistoryBytes, config.maxBodyBytes)
}

type OfSession = LoadLimit & { readonly session_id: string }

const newestMessages = (db: Kysely<Schema>, given: OfSession) =>
  db
    .selectFrom('chat_messages')
    .select(['seq', 'role', 'content', 'parts_json', 'calls_json', 'error_code'])
    .where('session_id', '=', given.session_id)
    .where('seq', '>', newestBeyond(given))
    .orderBy('seq', 'desc')
    .limit(given.messages)

/**
 * The `seq` of the newest message that no longer fits in `bytes`, or 0 when all fit. The largest message
 * does not count, as in `history-size.ts`. Reads lengths only, no content.
 */
const newestBeyond = (given: OfSession) => sql<number>`(
  select coalesce(max(seq), 0)
  from (
    select seq,
      sum(bytes) over (order by seq desc) - max(bytes) over (order by seq desc) as bytes
    from (
      select seq, octet_length(content) + coalesce(octet_length(parts_json), 0)
        + coalesce(octet_length(calls_json), 0) as bytes
      from chat_messages
      where session_id = ${given.session_id}
      order by seq desc
      limit ${given.messages}
    ) as newest
  ) as summed
  where bytes > ${given.bytes}
)`

/** The newest messages, oldest first. */
export async function readNewest(db: Database, tx: Tx, sessionId: string, limit: LoadLimit) {
  const given = { session_id: sessionId, ...limit }
  return (await db.prepared(newestMessages).within(tx, given)).toReversed()
}

export type StoredMessage = Awaited<ReturnType<typeof readNewest>>[number]

/**
 * Reads session and messages at once but not in one snapshot: if a turn ends between the two reads,
 * only one shows it, and the newest message's number differs from the session's count.
 */
export async function peekSession(db: Database, sessionId: string, limit: LoadLimit) {
  const [[session], newestFirst] = await Promise.all([
    db.prepared(sessionOfId).read({ id: sessionId }),
    db.prepared(newestMessages).read({ session_id: sessionId, ...limit }),
  ])
  return { session, messages: newestFirst.toReversed() }
}

/** A lease with the session's new number of messages; the same names are a statement's parameters. */
export type LeaseClaim = Readonly<{
  session_id: string
  lease_token: string
  lease_until: number
  message_count: number
  now: number
}>

/** Takes the lease and counts the messages that come with the turn. */
export const takeLease = (db: Kysely<Schema>, given: LeaseClaim) =>
  db
    .updateTable('chat_sessions')
    .set({
      lease_token: given.lease_token,
      lease_until: given.lease_until,
      message_count: given.message_count,
      last_message_at: given.now,
    })
    .where('id', '=', given.session_id)

/**
 * Takes the lease of a session that is free and has `seen` messages, and stores the turn's messages.
 * Reading the queue of waiters as well as the session's row is safe at READ COMMITTED: the row's lock
 * alone makes the lease exclusive, and a waiter whose ticket this statement does not see queued while
 * it was running, so either may go first.
 *
 * @returns false when the session has changed or other turns wait for it: nothing is stored then
 */
export async function claimAtOnce(
  db: Database,
  claim: LeaseClaim,
  seen: number,
  messages: readonly QuestionRow[],
): Promise<boolean> {
  const shape = shapeOf(messages)
  const taken = { ...claim, seen }
  if (messages.length === 0) return (await db.prepared(claimWithout).writeByKey(taken)).length > 0
  const statement = claims(shape)
  if (statement === undefined) return false
  const given = [...listed(taken, claimColumns), ...messageValues(messages, shape)]
  return (await db.prepared(statement).writeByKey(given)).length > 0
}

type ClaimValues = LeaseClaim & { readonly seen: number }

const claimColumns = [
  'session_id',
  'lease_token',
  'lease_until',
  'message_count',
  'now',
  'seen',
] as const satisfies readonly (keyof ClaimValues)[]

const claimWithout = (db: Kysely<Schema>, given: ClaimValues) => claimFree(db, given)

const claims = statementsOf((db, next, shape) => {
  const claim = rowOf<ClaimValues>(next, claimColumns)
  return db
    .with('claimed', () => claimFree(db, claim))
    .with('stored', (cte) => insertIfClaimed(cte, next, shape))
    .selectFrom('claimed')
    .select('claimed.id')
})

type WithClaimed = Schema & { readonly claimed: { readonly id: string } }

function insertIfClaimed(cte: QueryCreator<WithClaimed>, next: Next, shape: Shape) {
  const rows = messagesOf(next, shape).map(
    (row) => sql`(${sql.join(questionColumns.map((column) => typed(column, row[column])))})`,
  )
  return cte
    .insertInto('chat_messages')
    .columns(questionColumns)
    .expression(sql`select message.* from claimed, (values ${sql.join(rows)}) as message`)
}

/** A list of values outside an `insert` does not learn the types of its columns. */
function typed(column: keyof QuestionRow, value: Value) {
  const isNumber = column === 'seq' || column === 'created_at'
  return isNumber ? sql`cast(${value} as bigint)` : sql`cast(${value} as text)`
}

function claimFree(db: Kysely<Schema>, given: ClaimValues) {
  return takeLease(db, given)
    .where('message_count', '=', given.seen)
    .where((row) =>
      row.or([
        row('lease_token', 'is', null),
        row('lease_until', '<=', given.now),
        row(sql`lease_until - ${farthestMs}`, '>', given.now),
      ]),
    )
    .where((row) => row.not(row.exists(liveTickets(db, given))))
    .returning('id')
}

/** The turns that wait for a session and are alive, in their order. */
export const liveTickets = (db: Kysely<Schema>, given: { session_id: string; now: number }) =>
  db
    .selectFrom('session_waiters')
    .select('ticket')
    .where('session_id', '=', given.session_id)
    .where('expires_at', '>', given.now)
    .where(sql`expires_at - ${farthestMs}`, '<=', given.now)
    .orderBy('ticket')

export async function insertTicket(
  tx: Tx,
  sessionId: string,
  ticket: string,
  expiresAt: number,
): Promise<void> {
  await tx
    .insertInto('session_waiters')
    .values({ ticket, session_id: sessionId, expires_at: expiresAt })
    .execute()
}

export async function renewTicket(tx: Tx, ticket: string, expiresAt: number): Promise<void> {
  await tx
    .updateTable('session_waiters')
    .set({ expires_at: expiresAt })
    .where('ticket', '=', ticket)
    .execute()
}

/** Removes a ticket, and expired ones of the same session, whose processes died. */
export async function removeTicket(
  tx: Tx,
  sessionId: string,
  ticket: string,
  now: number,
): Promise<void> {
  await tx
    .deleteFrom('session_waiters')
    .where('session_id', '=', sessionId)
    .where((row) =>
      row.or([
        row('ticket', '=', ticket),
        row('expires_at', '<=', now),
        row(sql`expires_at - ${farthestMs}`, '>', now),
      ]),
    )
    .execute()
}

/** Returns no row when another turn has the lease by now. */
export const renewLease = (
  db: Kysely<Schema>,
  given: { id: string; lease_token: string; lease_until: number },
) =>
  db
    .updateTable('chat_sessions')
    .set({ lease_until: given.lease_until })
    .where('id', '=', given.id)
    .where('lease_token', '=', given.lease_token)
    .returning('id')
