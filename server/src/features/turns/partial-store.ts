import { sql, type CompiledQuery, type Kysely, type Selectable } from 'kysely'
import { waitForRowLocks } from '#features/credits/index.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { farthestMs } from './lease-time.ts'
import { factsWith, type MessageRow } from './turn-columns.ts'
import {
  answerWithin,
  bookWithin,
  closing,
  columnsOf,
  freeSession,
  type Closing,
} from './turn-store.ts'

/** A piece of an answer that is not complete. */
type Piece = Selectable<Schema['partial_answers']>

/** A turn that keeps its session; its piece is empty if there is nothing new to store. */
export type KeptTurn = Omit<Piece, 'stored_at'>

/**
 * Renews the leases of turns and stores the new pieces of their answers, in one statement on PostgreSQL
 * and one unit on SQLite. A turn that has lost its lease stores nothing.
 *
 * @returns the lease tokens of the turns that still hold their sessions
 */
export async function keepTurns(
  db: Database,
  turns: readonly KeptTurn[],
  until: { readonly now: number; readonly leaseUntil: number },
): Promise<ReadonlySet<string>> {
  const given = { turns: JSON.stringify(turns), ...until }
  if (db.engine === 'postgres') return tokensOf(await db.prepared(keepAtOnce).writeByKey(given))
  return await db.write(async (tx) => {
    const kept = tokensOf(await db.prepared(renewLeases).within(tx, given))
    await db.prepared(insertPieces).within(tx, given)
    return kept
  })
}

function tokensOf(rows: readonly { readonly lease_token: string }[]): ReadonlySet<string> {
  return new Set(rows.map((row) => row.lease_token))
}

/** `turns` is a list of `KeptTurn`s as JSON. */
interface Kept {
  readonly turns: string
  readonly now: number
  readonly leaseUntil: number
}

type KeptRow = { readonly lease_token: string }

const columns = sql`message_id, starts_at, session_id, lease_token, content, model, correlation_id,
  first_token_ms, begun_at`

/** A piece whose write may have been committed or not is sent again, perhaps longer. */
const replaceContent = sql`on conflict (message_id, starts_at)
  do update set content = excluded.content, stored_at = excluded.stored_at`

const keepAtOnce = (db: Kysely<Schema>, given: Kept): CompiledQuery<KeptRow> =>
  sql<KeptRow>`
    with turn as (
      select * from json_to_recordset(${given.turns}::json) as turn (
        message_id text, starts_at bigint, session_id text, lease_token text, content text,
        model text, correlation_id text, first_token_ms bigint, begun_at bigint
      )
    ), kept as (
      update chat_sessions as session set lease_until = ${given.leaseUntil}
      from turn where session.id = turn.session_id and session.lease_token = turn.lease_token
      returning session.lease_token
    ), stored as (
      insert into partial_answers (${columns}, stored_at)
      select ${columns}, ${given.now}::bigint from turn join kept using (lease_token)
      where content <> ''
      ${replaceContent}
    )
    select lease_token from kept
  `.compile(db)

const renewLeases = (db: Kysely<Schema>, given: Kept): CompiledQuery<KeptRow> =>
  sql<KeptRow>`
    update chat_sessions set lease_until = ${given.leaseUntil}
    from (
      select value ->> 'session_id' as session_id, value ->> 'lease_token' as token
      from json_each(${given.turns})
    ) as turn
    where chat_sessions.id = turn.session_id and chat_sessions.lease_token = turn.token
    returning lease_token
  `.compile(db)

const insertPieces = (db: Kysely<Schema>, given: Kept): CompiledQuery =>
  sql`
    insert into partial_answers (${columns}, stored_at)
    select turn.value ->> 'message_id', turn.value ->> 'starts_at', session.id, session.lease_token,
      turn.value ->> 'content', turn.value ->> 'model', turn.value ->> 'correlation_id',
      turn.value ->> 'first_token_ms', turn.value ->> 'begun_at', ${given.now}
    from json_each(${given.turns}) as turn
    cross join chat_sessions as session on session.id = turn.value ->> 'session_id'
      and session.lease_token = turn.value ->> 'lease_token'
    where turn.value ->> 'content' <> ''
    ${replaceContent}
  `.compile(db)

const deletePieces = (db: Kysely<Schema>, given: Pick<Closing, 'id'>) =>
  db.deleteFrom('partial_answers').where('message_id', '=', given.id).returning('starts_at')

/** Fails if the session was taken over: its pieces may have become an answer by then. */
const closeStreamed = (db: Kysely<Schema>, given: Closing) =>
  closing(
    db
      .with('freed', () =>
        freeSession(db, given).set(factsWith(given)).where('lease_token', '=', given.lease_token),
      )
      .with('forgotten', () => deletePieces(db, given)),
    db,
    given,
  )

/**
 * The same as `storeClosing` for a turn whose pieces may be stored: it deletes them. If they have become
 * an answer, because another turn took the session over, the complete answer replaces it.
 */
export async function storeStreamed(
  db: Database,
  answer: Closing,
  isLimited: boolean,
): Promise<void> {
  if (db.engine === 'postgres' && !isLimited) {
    const stored = await db.prepared(closeStreamed).writeByKey(answer)
    if (stored.length > 0) return
  }
  await db.write(async (tx) => {
    if (isLimited) await waitForRowLocks(tx, db.engine)
    const pieces = await db.prepared(deletePieces).within(tx, answer)
    if (pieces.length > 0 || !(await replaceAnswer(tx, answer))) await answerWithin(db, tx, answer)
    await bookWithin(db, tx, answer, isLimited)
  })
}

const replacedColumns = [
  'content',
  'calls_json',
  'model',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'latency_ms',
  'first_token_ms',
  'finish_reason',
  'error_code',
  'citations_json',
  'reasoning',
] as const satisfies readonly (keyof MessageRow)[]

/** @returns false if there is no such answer */
async function replaceAnswer(tx: Tx, answer: Closing): Promise<boolean> {
  const replaced = await tx
    .updateTable('chat_messages')
    .set(columnsOf<Partial<MessageRow>>(answer, replacedColumns))
    .where('session_id', '=', answer.session_id)
    .where('id', '=', answer.id)
    .returning('seq')
    .executeTakeFirst()
  return replaced !== undefined
}

export const abandonedAtOnce = 100

/**
 * Sessions after one, in the order of their ids, with pieces of a turn that no longer holds them, or
 * that were deleted.
 */
export const abandonedSessions = (
  db: Kysely<Schema>,
  given: { readonly now: number; readonly after: string },
): CompiledQuery<{ readonly session_id: string }> =>
  sql<{ readonly session_id: string }>`
    select distinct piece.session_id
    from partial_answers as piece left join chat_sessions as session on session.id = piece.session_id
    where piece.starts_at = 0 and piece.session_id > ${given.after} and (
      session.lease_token is distinct from piece.lease_token
      or session.lease_until <= ${given.now} or session.lease_until - ${farthestMs} > ${given.now}
    )
    order by piece.session_id
    limit ${sql.lit(abandonedAtOnce)}
  `.compile(db)

/** All pieces of a session, by answer. */
export async function readPieces(tx: Tx, sessionId: string): Promise<Map<string, Piece[]>> {
  const pieces = await tx
    .selectFrom('partial_answers')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('message_id')
    .orderBy('starts_at')
    .execute()
  return Map.groupBy(pieces, (piece) => piece.message_id)
}

export async function forgetPieces(db: Database, tx: Tx, messageId: string): Promise<void> {
  await db.prepared(deletePieces).within(tx, { id: messageId })
}
