import { deleteSessionWithin } from '#features/analytics/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { hasMetadata } from './metadata-store.ts'
import { runResponse } from './run-response.ts'
import { deleteRun, deleteTexts } from './run-store.ts'
import { responseFaults } from './response-faults.ts'
import {
  findResponseRow,
  hasResponses,
  listDeleted,
  markDeleted,
  type FoundResponse,
  type Place,
} from './response-store.ts'

/**
 * Deletes a response, and its session if nothing but deleted responses added messages to it. A session
 * that is used as a conversation stays.
 *
 * @throws Fault response_unknown
 */
export async function deleteResponse(
  { db, jobs }: Pick<Context, 'db' | 'jobs'>,
  place: Place,
  id: string,
): Promise<void> {
  await db.write(async (tx) => {
    const row = await findResponseRow(tx, place, id)
    if (row === undefined) throw new Fault(responseFaults.response_unknown)
    await markDeleted(tx, row)
    if (row.status !== 'direct') {
      await deleteRun(tx, id)
      await deleteTexts(tx, id)
      await jobs.withdraw(tx, runResponse, id)
    }
    if (await isOfDeletedOnly(tx, row)) await deleteSessionWithin(tx, db, row.session_id)
  })
}

async function isOfDeletedOnly(
  tx: Tx,
  { session_id: id, message_count: messageCount }: FoundResponse,
): Promise<boolean> {
  if ((await hasResponses(tx, id)) || (await hasMetadata(tx, id))) return false
  const deleted = await listDeleted(tx, id)
  if (deleted.some((row) => isNamed(row.request_json))) return false
  const answered = deleted.filter(({ seq }) => seq !== null)
  // A branch begins with messages of the session that it branches from.
  let next = answered[0]?.first_seq ?? 1
  for (const { first_seq: first, seq } of answered) {
    if (first > next) return false
    next = Math.max(next, (seq ?? 0) + 1)
  }
  return next > messageCount
}

/** Whether the request named the session as its `conversation`. */
function isNamed(requestJson: string): boolean {
  // Only this feature writes it, from an object.
  const { conversation } = JSON.parse(requestJson) as { readonly conversation?: unknown }
  return conversation !== undefined
}
