import {
  deleteConversations,
  hideSession,
  type DeletedRows,
} from '#features/conversations/index.ts'
import { snakeKeys, type SnakeKeys } from '#kernel/key-case.ts'
import type { Database, Engine, Reader, Tx } from '#platform/db/database.ts'
import { CountDeleted } from './count-deleted.ts'
import { deleteHidden } from './delete-hidden.ts'
import { listFirstByCount, measureSessions, mostOfUnit } from './deletion-size-store.ts'

/** The most conversations that one unit deletes. */
const deletedPerUnit: Readonly<Record<Engine, number>> = { sqlite: 50, postgres: 100 }

/** What was deleted, under the names that the audit log and the wire use. */
type Detail = SnakeKeys<DeletedRows>

/**
 * Deletes conversations in small units until none is listed or the signal aborts. Their figures stay. One
 * that is too large for a unit is hidden at first: from then on it counts as deleted, and
 * `finishDeletions` continues if this process ends.
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
    const { isLast, gone, hidden } = await db.write(async (tx) => {
      const ids = await list(tx, limit)
      if (ids.length === 0) return { isLast: true, gone: nothingDeleted, hidden: null }
      const { gone, hidden, count } = await deleteFirst(tx, db, ids)
      await record(tx, snakeKeys(gone))
      return { isLast: count === ids.length && ids.length < limit, gone, hidden }
    })
    deleted = sumOf(deleted, gone)
    if (hidden !== null) await deleteHidden(db, hidden, signal)
    if (isLast) return snakeKeys(deleted)
  }
}

/** A step: deletes a conversation. One that is too large is only hidden: see `deleteHidden`. */
export async function deleteOrHide(
  tx: Tx,
  db: Pick<Database, 'engine'>,
  sessionId: string,
): Promise<void> {
  await deleteFirst(tx, db, [sessionId])
}

/**
 * A step: deletes the first conversations of a list, as many as fit in a unit, or hides the first one.
 *
 * @returns how many they are, and the one that was hidden
 */
async function deleteFirst(tx: Tx, db: Pick<Database, 'engine'>, listed: readonly string[]) {
  const ids = await listFirstByCount(tx, listed)
  const sizes = await measureSessions(tx, ids)
  let [rows, bytes] = [0, 0]
  const beyond = ids.findIndex((id) => {
    const size = sizes.get(id) ?? { rows: 0, bytes: 0 }
    rows += size.rows
    bytes += size.bytes
    return rows > mostOfUnit.rows || bytes > mostOfUnit.bytes
  })
  const [first = ''] = ids
  if (beyond === 0) return { gone: await hideSession(tx, first), hidden: first, count: 1 }
  const fitting = beyond === -1 ? ids : ids.slice(0, beyond)
  return { gone: await deleteCounted(tx, db, fitting), hidden: null, count: fitting.length }
}

async function deleteCounted(
  tx: Tx,
  db: Pick<Database, 'engine'>,
  sessionIds: readonly string[],
): Promise<DeletedRows> {
  const counting = await CountDeleted.begin(tx, db)
  await counting.messages({ sessionIds })
  await counting.requests({ sessionIds })
  await counting.calls({ sessionIds })
  await counting.end()
  return await deleteConversations(tx, db, sessionIds)
}

const nothingDeleted: DeletedRows = { conversations: 0, messages: 0, ratings: 0, actionCalls: 0 }

function sumOf(a: DeletedRows, b: DeletedRows): DeletedRows {
  return {
    conversations: a.conversations + b.conversations,
    messages: a.messages + b.messages,
    ratings: a.ratings + b.ratings,
    actionCalls: a.actionCalls + b.actionCalls,
  }
}
