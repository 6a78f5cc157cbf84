import { countUse, entryOfTurn, waitForRowLocks, type CountedUse } from '#features/credits/index.ts'
import type { Kysely } from 'kysely'
import type { Database, Step } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import {
  listed,
  messagesOf,
  messageValues,
  rowOf,
  shapeOf,
  statementsOf,
  type QuestionRow,
} from './message-statements.ts'
import {
  messageColumns,
  sessionColumns,
  summaryOf,
  type MessageRow,
  type SessionRow,
  type Summary,
} from './turn-columns.ts'
import {
  addingSteps,
  addWithin,
  bookingSteps,
  bookWithin,
  columnsOf,
  insertAnswer,
  type Closing,
  type NumberedClosing,
} from './turn-store.ts'

const openedColumns = [...sessionColumns, 'facts', 'models'] as const

const chargeColumns = [
  'workspace_id',
  'agent_id',
  'key_id',
  'end_user',
  'amount_micros',
  'counted_at',
] as const satisfies readonly (keyof CountedUse)[]

/** The whole of a turn that begins a session, in one statement on PostgreSQL (see turn-store.ts). */
const wholes = statementsOf((db, next, shape) => {
  const session = rowOf<SessionRow & Summary>(next, openedColumns)
  const messages = messagesOf(next, shape)
  const answer = rowOf<MessageRow>(next, messageColumns)
  const charge = rowOf<CountedUse>(next, chargeColumns)
  return db
    .with('opened', (cte) => cte.insertInto('chat_sessions').values(session))
    .with('booked', (cte) =>
      cte.insertInto('credit_entries').values(entryOfTurn({ ...answer, ...charge })),
    )
    .with('counted', () => countUse(db, charge))
    .insertInto('chat_messages')
    .values([...messages, answer])
})

const insertAnswered = (db: Kysely<Schema>, given: SessionRow & Summary) =>
  db.insertInto('chat_sessions').values(columnsOf(given, openedColumns))

/** All messages, for a unit: on SQLite one statement cannot change several tables. */
const wholeMessages = statementsOf((db, next, shape) => {
  const messages = messagesOf(next, shape)
  return db
    .insertInto('chat_messages')
    .values([...messages, rowOf<MessageRow>(next, messageColumns)])
})

/** Stores a new session with its first messages and the answer, and books what the answer cost. */
export async function storeWhole(
  db: Database,
  opening: { readonly session: SessionRow; readonly messages: readonly QuestionRow[] },
  closing: Closing,
  isLimited: boolean,
): Promise<void> {
  const { messages } = opening
  const answer = { ...closing, seq: messages.length + 1 }
  const session: SessionRow = {
    ...opening.session,
    last_message_at: closing.created_at,
    message_count: answer.seq,
    lease_token: null,
    lease_until: 0,
  }
  const opened = { ...session, ...summaryOf(closing) }
  const shape = shapeOf(messages)
  const statement = wholes(shape)
  if (db.engine === 'postgres' && !isLimited && statement !== undefined) {
    await db
      .prepared(statement)
      .writeByKey([
        ...listed(opened, openedColumns),
        ...messageValues(messages, shape),
        ...listed(answer, messageColumns),
        ...listed(closing, chargeColumns),
      ])
    return
  }
  if (!isLimited)
    return await db.writeAll([
      db.prepared(insertAnswered).step(opened),
      ...messagesWith(db, messages, answer),
      ...bookingSteps(db, answer),
    ])
  await db.write(async (tx) => {
    await waitForRowLocks(tx, db.engine)
    await db.prepared(insertAnswered).within(tx, opened)
    await addWithin(db, tx, messages)
    await db.prepared(insertAnswer).within(tx, answer)
    await bookWithin(db, tx, answer, isLimited)
  })
}

function messagesWith(
  db: Database,
  messages: readonly QuestionRow[],
  answer: NumberedClosing,
): Step[] {
  const shape = shapeOf(messages)
  const statement = wholeMessages(shape)
  if (statement === undefined)
    return [...addingSteps(db, messages), db.prepared(insertAnswer).step(answer)]
  const given = [...messageValues(messages, shape), ...listed(answer, messageColumns)]
  return [db.prepared(statement).step(given)]
}
