import {
  deleteConversations,
  raiseGenerations,
  readWatermark,
  type DeletedRows,
} from '#features/conversations/index.ts'
import { snakeKeys, type SnakeKeys } from '#kernel/key-case.ts'
import type { Database, Engine, Reader, Tx } from '#platform/db/database.ts'
import { readCalls, readMessages, readRequests, readStored } from './counted-rows-store.ts'
import { addCounted, takeDeleted } from './keep-usage.ts'
import { addToDays, addToRollups, takeQuestions } from './rollup-store.ts'
import { spans } from './spans.ts'
import { Tally } from './tally.ts'

/** The most conversations that one unit deletes. On SQLite, all other writes wait for it. */
const deletedPerUnit: Readonly<Record<Engine, number>> = { sqlite: 50, postgres: 100 }

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
  const limit = deletedPerUnit[db.engine]
  if ((await list(db.read, 1)).length === 0) return snakeKeys(deleted)
  for (;;) {
    if (signal?.aborted === true) return snakeKeys(deleted)
    const { isLast, gone } = await db.write(async (tx) => {
      const ids = await list(tx, limit)
      if (ids.length === 0) return { isLast: true, gone: nothingDeleted }
      const gone = await deleteCounted(tx, db, ids)
      await record(tx, snakeKeys(gone))
      return { isLast: ids.length < limit, gone }
    })
    deleted = {
      conversations: deleted.conversations + gone.conversations,
      messages: deleted.messages + gone.messages,
      ratings: deleted.ratings + gone.ratings,
      actionCalls: deleted.actionCalls + gone.actionCalls,
    }
    if (isLast) return snakeKeys(deleted)
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
  const stored = await readStored(tx, sessionIds)
  const asked = new Tally([])
  for (const message of stored) if (message.created_at < reachedAt) asked.countStored(message)
  const counted = { since: 0, until: reachedAt, sessionIds }
  for (const request of await readRequests(tx, counted)) asked.countRequest(request)
  for (const call of await readCalls(tx, counted)) asked.countCall(call)
  const left = new Tally(spans)
  const fresh = { since: reachedAt, until: Number.MAX_SAFE_INTEGER, sessionIds }
  if (stored.some((message) => message.created_at >= reachedAt))
    for (const message of await readMessages(tx, engine, fresh)) left.countMessage(message)
  for (const call of await readCalls(tx, fresh)) left.countCall(call)
  await takeQuestions(tx, engine, [...asked.questions.values()])
  const newUsers = await addToRollups(tx, engine, [...left.places.values()])
  await addCounted(tx, { stored: new Map() }, newUsers)
  await takeDeleted(tx, asked)
  await addToDays(tx, engine, 'citations', [...left.citations.values()])
  await raiseGenerations(tx)
  return await deleteConversations(tx, { engine }, sessionIds)
}

const nothingDeleted: DeletedRows = { conversations: 0, messages: 0, ratings: 0, actionCalls: 0 }
