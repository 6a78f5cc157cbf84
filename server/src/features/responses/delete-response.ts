import { deleteHidden, recountRequest } from '#features/analytics/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clearDeleted } from './clear-deleted.ts'
import { runResponse } from './run-response.ts'
import { deleteRun, deleteTexts } from './run-store.ts'
import { responseFaults } from './response-faults.ts'
import { findResponseRow, markDeleted, type Place } from './response-store.ts'

/**
 * Deletes a response, and its session if nothing but deleted responses added messages to it. A session
 * that is used as a conversation stays. A background response that is being answered is cancelled, and its
 * question is deleted. The job does so when the turn has ended, because the ledger must have its cost.
 * It also deletes the session of a response for which a caller still waits, when the turn has ended.
 *
 * @throws Fault response_unknown
 */
export async function deleteResponse(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  place: Place,
  id: string,
): Promise<void> {
  const { db, jobs } = ctx
  const sessionId = await db.write(async (tx) => {
    const row = await findResponseRow(tx, place, id)
    if (row === undefined) throw new Fault(responseFaults.response_unknown)
    const { agent_id: agentId, created_at: createdAt, status } = row
    const bytes = await markDeleted(tx, row)
    await recountRequest(tx, { agentId, createdAt, bytes })
    const { workspaceId } = place
    const clearLater = () =>
      jobs.enqueue(tx, runResponse, { responseId: id }, { key: id, workspaceId })
    if (status !== 'direct') {
      await deleteRun(tx, id)
      await deleteTexts(tx, id)
      if (status === 'running') {
        await clearLater()
        return row.session_id
      }
      await jobs.withdraw(tx, runResponse, id)
    }
    if (!(await clearDeleted(tx, ctx, id, false))) await clearLater()
    return row.session_id
  })
  await deleteHidden(db, sessionId)
}
