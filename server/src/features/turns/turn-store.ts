import { sql, type Kysely, type QueryCreator } from 'kysely'
import {
  countLimitedTurn,
  countUse,
  entryOfTurn,
  waitForRowLocks,
  type CountedUse,
} from '#features/credits/index.ts'
import type { Database, Step, Tx, WriteOptions } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { newId } from '#kernel/ids.ts'
import {
  listed,
  maxMessagesAtOnce,
  messagesOf,
  messageValues,
  rowOf,
  shapeOf,
  statementsOf,
  type QuestionRow,
} from './message-statements.ts'
import { callsOf, type TranscriptMessage } from './prompt.ts'
import {
  factsWith,
  messageColumns,
  sessionColumns,
  type MessageRow,
  type SessionRow,
} from './turn-columns.ts'

/**
 * The two writes of a turn. Storing is most of the work of a turn, so each has two versions: on SQLite
 * a unit of prepared statements, on PostgreSQL one statement, since each further one is a round trip.
 * Both commit together with those of other turns (docs/decisions/0012): an opening only inserts rows of
 * a new session; a closing changes the session it finds by its id, and the row's lock gives each answer
 * a number of its own. The ledger entry is written with the answer, so neither exists without the other
 * (docs/decisions/0015).
 */

/** The rows of new messages that follow the first `after` ones of their session. */
export function messageRows(
  { correlationId }: { readonly correlationId: string | null },
  sessionId: string,
  messages: readonly TranscriptMessage[],
  after: number,
  now: number,
): QuestionRow[] {
  return messages.map((message, index) => ({
    session_id: sessionId,
    seq: after + index + 1,
    id: newId(now),
    role: message.role,
    content: message.content,
    parts_json: message.parts === undefined ? null : JSON.stringify(message.parts),
    calls_json: callsOf(message),
    correlation_id: correlationId,
    created_at: now,
  }))
}

const insertSession = (db: Kysely<Schema>, given: SessionRow) =>
  db.insertInto('chat_sessions').values(columnsOf(given, sessionColumns))

export const insertAnswer = (db: Kysely<Schema>, given: MessageRow) =>
  db.insertInto('chat_messages').values(columnsOf(given, messageColumns))

/** The answer that its session has just counted. */
const insertNext = (db: Kysely<Schema>, given: Closing) =>
  db.insertInto('chat_messages').values((row) => ({
    ...columnsOf(given, answerColumns),
    seq: row
      .selectFrom('chat_sessions')
      .select('message_count')
      .where('id', '=', given.session_id)
      .$asScalar(),
  }))

const answerColumns = messageColumns.filter((column) => column !== 'seq')

/** A row whose values are read one by one, as a prepared statement must read them. */
export function columnsOf<Row>(given: Row, columns: readonly (keyof Row)[]): Row {
  // All columns of the row are listed.
  return Object.fromEntries(columns.map((column) => [column, given[column]])) as Row
}

/** Stores a new session with its first messages. */
export async function storeOpening(
  db: Database,
  session: SessionRow,
  messages: readonly QuestionRow[],
  options: WriteOptions = {},
): Promise<void> {
  const shape = shapeOf(messages)
  const statement = openings(shape)
  if (db.engine === 'postgres' && statement !== undefined) {
    const given = [...listed(session, sessionColumns), ...messageValues(messages, shape)]
    await db.prepared(statement).writeByKey(given)
    return
  }
  await db.writeAll(
    [db.prepared(insertSession).step(session), ...addingSteps(db, messages)],
    options,
  )
}

/** The same as a step of the caller's unit. */
export async function openWithin(
  db: Database,
  tx: Tx,
  session: SessionRow,
  messages: readonly QuestionRow[],
): Promise<void> {
  await db.prepared(insertSession).within(tx, session)
  await addWithin(db, tx, messages)
}

/** A step: stores messages; their session has counted them already. */
export async function addWithin(
  db: Database,
  tx: Tx,
  messages: readonly QuestionRow[],
): Promise<void> {
  for (const { statement, values } of additionsOf(messages))
    await db.prepared(statement).within(tx, values)
}

/** The same as steps of a unit without code. */
export function addingSteps(db: Database, messages: readonly QuestionRow[]): Step[] {
  return additionsOf(messages).map(({ statement, values }) => db.prepared(statement).step(values))
}

function additionsOf(messages: readonly QuestionRow[]) {
  const parts = Array.from({ length: Math.ceil(messages.length / maxMessagesAtOnce) }, (_, n) =>
    messages.slice(n * maxMessagesAtOnce, (n + 1) * maxMessagesAtOnce),
  )
  return parts.flatMap((some) => {
    const shape = shapeOf(some)
    const statement = additions(shape)
    return statement === undefined ? [] : [{ statement, values: messageValues(some, shape) }]
  })
}

const additions = statementsOf((db, next, shape) =>
  db.insertInto('chat_messages').values(messagesOf(next, shape)),
)

const openings = statementsOf((db, next, shape) => {
  const session = rowOf<SessionRow>(next, sessionColumns)
  return db
    .with('opened', (cte) => cte.insertInto('chat_sessions').values(session))
    .insertInto('chat_messages')
    .values(messagesOf(next, shape))
})

/** An answer and its ledger entry; the session numbers the answer. */
export interface Closing extends Omit<MessageRow, 'seq'>, CountedUse {
  readonly lease_token: string
}

/** A closing whose answer has its number. */
export type NumberedClosing = Closing & Pick<MessageRow, 'seq'>

/**
 * Counts the answer and frees the session. If our lease expired and another turn took the session over,
 * its lease stays.
 */
export const freeSession = (
  db: Kysely<Schema>,
  given: Pick<Closing, 'session_id' | 'lease_token' | 'created_at'>,
) =>
  db
    .updateTable('chat_sessions')
    .set((row) => {
      const isOurs = row('lease_token', '=', given.lease_token)
      return {
        message_count: row('message_count', '+', sql.lit(1)),
        last_message_at: given.created_at,
        lease_until: row.case().when(isOurs).then(0).else(row.ref('lease_until')).end(),
        lease_token: row.case().when(isOurs).then(null).else(row.ref('lease_token')).end(),
      }
    })
    .where('id', '=', given.session_id)
    .returning('message_count as seq')

const insertEntry = (db: Kysely<Schema>, given: Closing) =>
  db.insertInto('credit_entries').values(entryOfTurn(given))

/**
 * The whole closing in one statement. It also counts the turn in a cap that was set while the turn ran.
 * Windows are opened under a lock of their table, so none is missed.
 */
const closeAtOnce = (db: Kysely<Schema>, given: Closing) =>
  closing(
    db.with('freed', () => freeSession(db, given).set(factsWith(given))),
    db,
    given,
  )

/** @param freed has the answer's number, or no row: then nothing is stored */
export function closing(
  freed: QueryCreator<Schema & { readonly freed: { readonly seq: number } }>,
  db: Kysely<Schema>,
  given: Closing,
) {
  return freed
    .with('booked', (cte) => {
      const entry = Object.entries(entryOfTurn(given)).filter(([, value]) => value !== null)
      return cte
        .insertInto('credit_entries')
        .columns(entry.map(([column]) => column as keyof Schema['credit_entries']))
        .expression((insert) =>
          insert
            .selectFrom('freed')
            .select((row) => entry.map(([column, value]) => row.val(value).as(column))),
        )
    })
    .with('counted', () => countUse(db, given).where(sql<boolean>`exists (select seq from freed)`))
    .insertInto('chat_messages')
    .columns(messageColumns)
    .expression((insert) =>
      insert
        .selectFrom('freed')
        .select((row) =>
          messageColumns.map((column) =>
            column === 'seq' ? row.ref('freed.seq').as('seq') : row.val(given[column]).as(column),
          ),
        ),
    )
    .returning('seq')
}

/**
 * Stores an answer as the newest message of its session, frees the session, and books what the
 * answer cost.
 *
 * @param isLimited whether the turn reserved credits
 */
export async function storeClosing(
  db: Database,
  answer: Closing,
  isLimited: boolean,
): Promise<void> {
  if (db.engine === 'postgres' && !isLimited) {
    const stored = await db.prepared(closeAtOnce).writeByKey(answer)
    if (stored.length === 0) throw new Error(sessionIsGone)
    return
  }
  if (!isLimited)
    return await db.writeAll([
      db.prepared(freeSession).step(answer, sessionIsGone),
      db.prepared(insertNext).step(answer),
      ...bookingSteps(db, answer),
    ])
  await db.write(async (tx) => {
    await waitForRowLocks(tx, db.engine)
    await answerWithin(db, tx, answer)
    await bookWithin(db, tx, answer, isLimited)
  })
}

/** A step: stores an answer as the newest message of its session, and frees the session. */
export async function answerWithin(db: Database, tx: Tx, answer: Closing): Promise<void> {
  const [freed] = await db.prepared(freeSession).within(tx, answer)
  if (freed === undefined) throw new Error(sessionIsGone)
  await db.prepared(insertAnswer).within(tx, { ...answer, seq: freed.seq })
}

/** A step: books what an answer cost. */
export async function bookWithin(
  db: Database,
  tx: Tx,
  answer: Closing,
  isLimited: boolean,
): Promise<void> {
  await db.prepared(insertEntry).within(tx, answer)
  if (isLimited) await countLimitedTurn(tx, db.engine, answer, answer.id)
  else await db.prepared(countUse).within(tx, answer)
}

/** What an answer cost, as steps of a unit without code. */
export function bookingSteps(db: Database, answer: Closing): Step[] {
  return [db.prepared(insertEntry).step(answer), db.prepared(countUse).step(answer)]
}

const sessionIsGone = 'the session of a running turn is gone'
