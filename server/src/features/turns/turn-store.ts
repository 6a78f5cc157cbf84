import { sql, type Kysely, type Selectable } from 'kysely'
import {
  countLimitedTurn,
  countUse,
  entryOfTurn,
  waitForRowLocks,
  type CountedUse,
} from '#features/credits/index.ts'
import type { Database, Tx, Value, WriteOptions } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type MessageRow = Selectable<Schema['chat_messages']>
export type SessionRow = Selectable<Schema['chat_sessions']>

/**
 * The two writes of a turn. Storing is most of the work of a turn, so each has two versions: on SQLite
 * a unit of prepared statements, on PostgreSQL one statement, since each further one is a round trip.
 * Both commit together with those of other turns (docs/decisions/0012): an opening only inserts rows of
 * a new session; a closing changes the session it finds by its id, and the row's lock gives each answer
 * a number of its own. The ledger entry is written with the answer, so neither exists without the other
 * (docs/decisions/0015).
 */

const sessionColumns = columnsOf({
  id: true,
  workspace_id: true,
  agent_id: true,
  agent_version: true,
  source: true,
  end_user: true,
  created_at: true,
  last_message_at: true,
  message_count: true,
  lease_token: true,
  lease_until: true,
} satisfies Record<keyof SessionRow, true>)

export const messageColumns = columnsOf({
  session_id: true,
  seq: true,
  id: true,
  role: true,
  content: true,
  parts_json: true,
  model: true,
  prompt_tokens: true,
  completion_tokens: true,
  latency_ms: true,
  first_token_ms: true,
  finish_reason: true,
  error_code: true,
  citations_json: true,
  correlation_id: true,
  created_at: true,
} satisfies Record<keyof MessageRow, true>)

const insertSession = (db: Kysely<Schema>, given: SessionRow) =>
  db.insertInto('chat_sessions').values(rowOf<SessionRow>(given, sessionColumns))

const insertMessage = (db: Kysely<Schema>, given: MessageRow) =>
  db.insertInto('chat_messages').values(rowOf<MessageRow>(given, messageColumns))

/** Stores a new session with its first messages. */
export async function storeOpening(
  db: Database,
  session: SessionRow,
  messages: readonly MessageRow[],
  options: WriteOptions = {},
): Promise<void> {
  const statement = openings[messages.length - 1]
  if (db.engine === 'postgres' && statement !== undefined) {
    await db.prepared(statement).writeByKey({ ...session, ...messageValues(messages) })
    return
  }
  await db.write((tx) => openWithin(db, tx, session, messages), options)
}

/** The same as a step of the caller's unit. */
export async function openWithin(
  db: Database,
  tx: Tx,
  session: SessionRow,
  messages: readonly MessageRow[],
): Promise<void> {
  await db.prepared(insertSession).within(tx, session)
  await addWithin(db, tx, messages)
}

/** Stores messages; their session has counted them already. */
export async function addWithin(
  db: Database,
  tx: Tx,
  messages: readonly MessageRow[],
): Promise<void> {
  for (const message of messages) await db.prepared(insertMessage).within(tx, message)
}

/** Up to this number, several messages are one statement; more are rare and stored one by one. */
export const maxMessagesAtOnce = 16

/** The parameters of a statement; those of its messages have prefixes, see messageValues. */
type Named = Readonly<Record<string, Value>>

const openings = Array.from(
  { length: maxMessagesAtOnce },
  (_, index) => (db: Kysely<Schema>, given: Named) =>
    db
      .with('opened', (cte) =>
        cte.insertInto('chat_sessions').values(rowOf<SessionRow>(given, sessionColumns)),
      )
      .insertInto('chat_messages')
      .values(Array.from({ length: index + 1 }, (_, n) => messageAt(given, n))),
)

/** The values of several messages as the parameters of one statement. */
export function messageValues(messages: readonly MessageRow[]): Named {
  const values: Record<string, Value> = {}
  for (const [n, message] of messages.entries())
    for (const column of messageColumns) values[prefix(n) + column] = message[column]
  return values
}

/** The row of the `n`th of them. */
export function messageAt(given: Named, n: number): MessageRow {
  return rowOf<MessageRow>(given, messageColumns, prefix(n))
}

function prefix(n: number): string {
  return `message ${n} `
}

/** An answer and its ledger entry; the session numbers the answer. */
export interface Closing extends Omit<MessageRow, 'seq'>, CountedUse {
  readonly lease_token: string
}

/**
 * Counts the answer and frees the session. If our lease expired and another turn took the session over,
 * its lease stays.
 */
const freeSession = (
  db: Kysely<Schema>,
  given: Pick<Closing, 'session_id' | 'lease_token' | 'created_at'>,
) =>
  db
    .updateTable('chat_sessions')
    .set((row) => {
      const isOurs = row('lease_token', '=', given.lease_token)
      return {
        message_count: row('message_count', '+', 1),
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
  db
    .with('freed', () => freeSession(db, given))
    .with('booked', (cte) => {
      const entry = Object.entries(entryOfTurn(given)).filter(([, value]) => value !== null)
      return cte
        .insertInto('credit_entries')
        .columns(entry.map(([column]) => column as keyof Schema['credit_entries']))
        .expression((insert) =>
          insert
            .selectFrom('freed')
            .select((freed) => entry.map(([column, value]) => freed.val(value).as(column))),
        )
    })
    .with('counted', () => countUse(db, given).where(sql<boolean>`exists (select seq from freed)`))
    .insertInto('chat_messages')
    .columns(messageColumns)
    .expression((insert) =>
      insert
        .selectFrom('freed')
        .select((freed) =>
          messageColumns.map((column) =>
            column === 'seq'
              ? freed.ref('freed.seq').as('seq')
              : freed.val(given[column]).as(column),
          ),
        ),
    )
    .returning('seq')

/**
 * Stores an answer as the newest message of its session, frees the session, and books what the
 * answer cost.
 *
 * @param isLimited whether the turn reserved credits
 */
export async function storeClosing(
  db: Database,
  closing: Closing,
  isLimited: boolean,
): Promise<void> {
  if (db.engine === 'postgres' && !isLimited) {
    const stored = await db.prepared(closeAtOnce).writeByKey(closing)
    if (stored.length === 0) throw new Error(sessionIsGone)
    return
  }
  await db.write(async (tx) => {
    if (isLimited) await waitForRowLocks(tx, db.engine)
    const [freed] = await db.prepared(freeSession).within(tx, closing)
    if (freed === undefined) throw new Error(sessionIsGone)
    await db.prepared(insertMessage).within(tx, { ...closing, seq: freed.seq })
    await db.prepared(insertEntry).within(tx, closing)
    if (isLimited) await countLimitedTurn(tx, db.engine, closing, closing.id)
    else await db.prepared(countUse).within(tx, closing)
  })
}

const sessionIsGone = 'the session of a running turn is gone'

function columnsOf<Column extends string>(columns: Record<Column, true>): readonly Column[] {
  // The keys of an object literal are those of its type.
  return Object.keys(columns) as Column[]
}

/** A row whose values are read one by one, as a prepared statement must read them. */
function rowOf<Row>(given: Named, columns: readonly (keyof Row & string)[], before = ''): Row {
  // All columns of the row are listed: `satisfies` above ensures it. Each value is of this column.
  return Object.fromEntries(columns.map((column) => [column, given[before + column]])) as Row
}
