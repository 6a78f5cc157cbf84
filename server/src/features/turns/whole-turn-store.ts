import { countUse, entryOfTurn, waitForRowLocks } from '#features/credits/index.ts'
import type { Kysely } from 'kysely'
import type { Database, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { summaryOf, type SessionRow, type Summary } from './turn-columns.ts'
import {
  addWithin,
  answerOf,
  bookWithin,
  insertAnswer,
  messageValues,
  messagesOf,
  openingValues,
  sessionOf,
  statementsOf,
  type Closing,
  type NumberedClosing,
  type QuestionRow,
} from './turn-store.ts'

/** The whole of a turn that begins a session, in one statement on PostgreSQL (see turn-store.ts). */
const wholes = statementsOf((db, values, count) => {
  const given = answerIn(values)
  return db
    .with('opened', (cte) =>
      cte.insertInto('chat_sessions').values({ ...sessionOf(values), ...summaryIn(given) }),
    )
    .with('booked', (cte) => cte.insertInto('credit_entries').values(entryOfTurn(given)))
    .with('counted', () => countUse(db, given))
    .insertInto('chat_messages')
    .values([...messagesOf(values, count), answerOf(given)])
})

const insertAnswered = (db: Kysely<Schema>, given: SessionRow & Summary) =>
  db.insertInto('chat_sessions').values({ ...sessionOf(given, ''), ...summaryIn(given) })

function summaryIn({ facts, models }: Summary): Summary {
  return { facts, models }
}

/** All messages, for a unit: on SQLite one statement cannot change several tables. */
const wholeMessages = statementsOf((db, values, count) => {
  return db
    .insertInto('chat_messages')
    .values([...messagesOf(values, count), answerOf(answerIn(values))])
})

function answerIn(values: object): NumberedClosing & Summary {
  // The type of statementsOf names no columns; storeWhole gives these values.
  return values as NumberedClosing & Summary
}

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
  const statement = wholes[messages.length]
  if (db.engine === 'postgres' && !isLimited && statement !== undefined) {
    const given = { ...openingValues(session, messages), ...answer, ...summaryOf(closing) }
    await db.prepared(statement).writeByKey(given)
    return
  }
  await db.write(async (tx) => {
    if (isLimited) await waitForRowLocks(tx, db.engine)
    await db.prepared(insertAnswered).within(tx, { ...session, ...summaryOf(closing) })
    await addWhole(db, tx, messages, answer)
    await bookWithin(db, tx, answer, isLimited)
  })
}

async function addWhole(
  db: Database,
  tx: Tx,
  messages: readonly QuestionRow[],
  answer: NumberedClosing,
): Promise<void> {
  const statement = wholeMessages[messages.length]
  if (statement !== undefined) {
    await db.prepared(statement).within(tx, { ...messageValues(messages), ...answer })
    return
  }
  await addWithin(db, tx, messages)
  await db.prepared(insertAnswer).within(tx, answer)
}
