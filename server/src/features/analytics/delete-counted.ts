import {
  deleteConversations,
  raiseGenerations,
  readWatermark,
  type DeletedRows,
} from '#features/conversations/index.ts'
import { snakeKeys, type SnakeKeys } from '#kernel/key-case.ts'
import type { Database, Reader, Tx } from '#platform/db/database.ts'
import { readCalls, readMessages, readRequests } from './counted-rows-store.ts'
import { addCounted, takeDeleted } from './keep-usage.ts'
import { addToDays, addToRollups, takeQuestions } from './rollup-store.ts'
import { spans } from './spans.ts'
import { Tally } from './tally.ts'

/** The most conversations that one unit deletes. */
const deletedPerUnit = 100

/** What was deleted, under the names that the audit log and the wire use. */
type Detail = SnakeKeys<DeletedRows>

/**
 * Deletes conversations in small units until none is listed or the signal aborts. Their figures stay.
 *
 * @param list is read again within the unit: someone may have continued a conversation meanwhile
 * @param record a step of each unit, for the audit log
 */
export async function deleteListed(
  db: Database,
  list: (reader: Reader, limit: number) => Promise<string[]>,
  record: (tx: Tx, deleted: Detail) => Promise<void>,
  signal?: AbortSignal,
): Promise<Detail> {
  let deleted = nothingDeleted
  for (;;) {
    if (signal?.aborted === true || (await list(db.read, 1)).length === 0) return snakeKeys(deleted)
    const gone = await db.write(async (tx) => {
      const ids = await list(tx, deletedPerUnit)
      if (ids.length === 0) return nothingDeleted
      const rows = await deleteCounted(tx, db, ids)
      await record(tx, snakeKeys(rows))
      return rows
    })
    deleted = {
      conversations: deleted.conversations + gone.conversations,
      messages: deleted.messages + gone.messages,
      ratings: deleted.ratings + gone.ratings,
      actionCalls: deleted.actionCalls + gone.actionCalls,
    }
  }
}

/**
 * A step. Uncounted rows are counted now, so that the figures stay. The questions are subtracted from
 * their list, because they are texts of the conversations.
 */
export async function deleteCounted(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  sessionIds: readonly string[],
): Promise<DeletedRows> {
  const { reached_at: reachedAt } = await readWatermark(tx, 'analytics')
  const counted = { since: 0, until: reachedAt, sessionIds }
  const fresh = { since: reachedAt, until: Number.MAX_SAFE_INTEGER, sessionIds }
  const asked = new Tally([])
  for (const message of await readMessages(tx, engine, counted)) asked.countMessage(message)
  for (const request of await readRequests(tx, counted)) asked.countRequest(request)
  const left = new Tally(spans)
  for (const message of await readMessages(tx, engine, fresh)) left.countMessage(message)
  for (const call of await readCalls(tx, fresh)) left.countCall(call)
  await takeQuestions(tx, [...asked.questions.values()])
  const newUsers = await addToRollups(tx, engine, [...left.places.values()])
  await addCounted(tx, { stored: new Map() }, newUsers)
  await takeDeleted(tx, asked)
  await addToDays(tx, engine, 'citations', [...left.citations.values()])
  await raiseGenerations(tx)
  return await deleteConversations(tx, { engine }, sessionIds)
}

const nothingDeleted: DeletedRows = { conversations: 0, messages: 0, ratings: 0, actionCalls: 0 }
