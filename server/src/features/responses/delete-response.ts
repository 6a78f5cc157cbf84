import { recountRequest } from '#features/analytics/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clearDeleted } from './clear-deleted.ts'
import { runResponse } from './run-response.ts'
import { deleteRun, deleteTexts } from './run-store.ts'
import { responseFaults } from './response-faults.ts'
import { findResponseRow, markDeleted, type Place } from './response-store.ts'

/**
 * Deletes a response, and its session if nothing but deleted responses added messages to it. A session
 * that is used as a conversation stays. One that is being answered is cancelled, and its question is
 * deleted: the job does so when the turn has ended, because the ledger must have its cost.
 *
 * @throws Fault response_unknown
 */
export async function deleteResponse(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  place: Place,
  id: string,
): Promise<void> {
  const { db, jobs } = ctx
  await db.write(async (tx) => {
    const row = await findResponseRow(tx, place, id)
    if (row === undefined) throw new Fault(responseFaults.response_unknown)
    const { agent_id: agentId, created_at: createdAt, status } = row
    const bytes = await markDeleted(tx, row)
    await recountRequest(tx, { agentId, createdAt, bytes })
    if (status === 'direct') return await clearDeleted(tx, ctx, id, false)
    await deleteRun(tx, id)
    await deleteTexts(tx, id)
    const { workspaceId } = place
    if (status === 'running')
      return await jobs.enqueue(tx, runResponse, { responseId: id }, { key: id, workspaceId })
    await jobs.withdraw(tx, runResponse, id)
    await clearDeleted(tx, ctx, id, false)
  })
}
