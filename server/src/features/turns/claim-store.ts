import { sql, type Kysely, type QueryCreator } from 'kysely'
import type { Database, Tx, Value } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { LeaseClaim, MessageRow } from './lease-store.ts'
import { messageAt, messageColumns, messageValues, maxMessagesAtOnce } from './turn-store.ts'

/**
 * What a turn reads and writes to continue an existing session. As in turn-store.ts there are two
 * versions: a unit, for SQLite and for a session that is taken, and on PostgreSQL one statement, which
 * shares its batch with other turns.
 */

/** A session as a turn that wants to claim it reads it. The caller checks the agent. */
export interface ClaimableSession {
  readonly agent_id: string
  readonly message_count: number
  readonly lease_token: string | null
  readonly lease_until: number
}

const sessionOfId = (db: Kysely<Schema>, given: { id: string }) =>
  db
    .selectFrom('chat_sessions')
    .select(['agent_id', 'message_count', 'lease_token', 'lease_until'])
    .where('id', '=', given.id)

/** How much of a session is loaded: its newest messages, up to both limits. */
export interface LoadLimit {
  readonly messages: number
  readonly bytes: number
}

type OfSession = LoadLimit & { readonly session_id: string }

const newestMessages = (db: Kysely<Schema>, given: OfSession) =>
  db
    .selectFrom('chat_messages')
    .select(['seq', 'role', 'content', 'parts_json', 'error_code'])
    .where('session_id', '=', given.session_id)
    .where('seq', '>', newestBeyond(given))
    .orderBy('seq', 'desc')
    .limit(given.messages)

/**
 * The `seq` of the newest message that no longer fits in `bytes`, or 0 when all fit. Reads lengths
 * only, no content.
 */
const newestBeyond = (given: OfSession) => sql<number>`(
  select coalesce(max(seq), 0)
  from (
    select seq, sum(bytes) over (order by seq desc) as bytes
    from (
      select seq, octet_length(content) + coalesce(octet_length(parts_json), 0) as bytes
      from chat_messages
      where session_id = ${given.session_id}
      order by seq desc
      limit ${given.messages}
    ) as newest
  ) as summed
  where bytes > ${given.bytes}
)`

export type StoredMessage = Pick<
  MessageRow,
  'seq' | 'role' | 'content' | 'parts_json' | 'error_code'
>

export async function findClaimable(
  db: Database,
  tx: Tx,
  sessionId: string,
): Promise<ClaimableSession | undefined> {
  const [session] = await db.prepared(sessionOfId).within(tx, { id: sessionId })
  return session
}

/** The newest messages, oldest first. */
export async function readNewest(
  db: Database,
  tx: Tx,
  sessionId: string,
  limit: LoadLimit,
): Promise<StoredMessage[]> {
  const given = { session_id: sessionId, ...limit }
  return (await db.prepared(newestMessages).within(tx, given)).toReversed()
}

const firstTicket = (db: Kysely<Schema>, given: { session_id: string; now: number }) =>
  db
    .selectFrom('session_waiters')
    .select('ticket')
    .where('session_id', '=', given.session_id)
    .where('expires_at', '>', given.now)
    .orderBy('ticket')
    .limit(1)

/** The ticket of the turn that has waited longest. */
export async function findFirstTicket(
  db: Database,
  tx: Tx,
  sessionId: string,
  now: number,
): Promise<string | undefined> {
  const [first] = await db.prepared(firstTicket).within(tx, { session_id: sessionId, now })
  return first?.ticket
}

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

const takeLease = (db: Kysely<Schema>, given: Omit<LeaseValues, 'seen'>) =>
  db
    .updateTable('chat_sessions')
    .set({
      lease_token: given.lease_token,
      lease_until: given.lease_until,
      message_count: given.message_count,
      last_message_at: given.now,
    })
    .where('id', '=', given.session_id)

interface LeaseValues {
  readonly session_id: string
  readonly lease_token: string
  readonly lease_until: number
  readonly message_count: number
  readonly now: number
  /** The count that the messages were read at. */
  readonly seen: number
}

/** Takes the lease and makes room for the messages that come with the turn. */
export async function claimWithin(db: Database, tx: Tx, claim: LeaseClaim): Promise<void> {
  await db.prepared(takeLease).within(tx, leaseValues(claim))
}

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
  messages: readonly MessageRow[],
): Promise<boolean> {
  const statement = claims[messages.length]
  if (statement === undefined) return false
  const given: ClaimValues = { ...messageValues(messages), ...leaseValues(claim), seen }
  return (await db.prepared(statement).writeByKey(given)).length > 0
}

type ClaimValues = LeaseValues & Readonly<Record<string, Value>>

/** A statement for each number of messages is kept. */
const claims = Array.from(
  { length: maxMessagesAtOnce + 1 },
  (_, count) => (db: Kysely<Schema>, given: ClaimValues) => {
    let query: QueryCreator<WithClaimed> = db.with('claimed', () => claimFree(db, given))
    for (let n = 0; n < count; n += 1)
      // No statement reads from these, and the type would grow with each round.
      query = query.with(`stored_${n}`, (cte) =>
        insertIfClaimed(cte, messageAt(given, n)),
      ) as QueryCreator<WithClaimed>
    return query.selectFrom('claimed').select('claimed.id')
  },
)

type WithClaimed = Schema & { readonly claimed: { readonly id: string } }

function insertIfClaimed(cte: QueryCreator<WithClaimed>, message: MessageRow) {
  return cte
    .insertInto('chat_messages')
    .columns(messageColumns)
    .expression((insert) =>
      insert
        .selectFrom('claimed')
        .select((claimed) =>
          messageColumns.map((column) => claimed.val(message[column]).as(column)),
        ),
    )
}

function claimFree(db: Kysely<Schema>, given: ClaimValues) {
  return takeLease(db, given)
    .where('message_count', '=', given.seen)
    .where((row) => row.or([row('lease_token', 'is', null), row('lease_until', '<=', given.now)]))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('session_waiters')
            .select('ticket')
            .where('session_id', '=', given.session_id)
            .where('expires_at', '>', given.now),
        ),
      ),
    )
    .returning('id')
}

function leaseValues(claim: LeaseClaim): Omit<LeaseValues, 'seen'> {
  return {
    session_id: claim.sessionId,
    lease_token: claim.leaseToken,
    lease_until: claim.leaseUntil,
    message_count: claim.messageCount,
    now: claim.now,
  }
}
