import { countUse, entryOfTurn, waitForRowLocks } from '#features/credits/index.ts'
import type { Database } from '#platform/db/database.ts'
import {
  answerOf,
  bookWithin,
  messagesOf,
  openingValues,
  openWithin,
  sessionOf,
  statementsOf,
  type Closing,
  type NumberedClosing,
  type QuestionRow,
  type SessionRow,
} from './turn-store.ts'

/** The whole of a turn that begins a session, in one statement on PostgreSQL (see turn-store.ts). */
const wholes = statementsOf((db, values, count) => {
  // The type of statementsOf names no columns; storeWhole gives these values.
  const given = values as unknown as NumberedClosing
  return db
    .with('opened', (cte) => cte.insertInto('chat_sessions').values(sessionOf(values)))
    .with('booked', (cte) => cte.insertInto('credit_entries').values(entryOfTurn(given)))
    .with('counted', () => countUse(db, given))
    .insertInto('chat_messages')
    .values([...messagesOf(values, count), answerOf(given)])
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
  const statement = wholes[messages.length]
  if (db.engine === 'postgres' && !isLimited && statement !== undefined) {
    await db.prepared(statement).writeByKey({ ...openingValues(session, messages), ...answer })
    return
  }
  await db.write(async (tx) => {
    if (isLimited) await waitForRowLocks(tx, db.engine)
    await openWithin(db, tx, session, messages)
    await bookWithin(db, tx, answer, isLimited)
  })
}
