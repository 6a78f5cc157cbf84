import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { findResponse, type StoredResponse } from './find-response.ts'
import { responseFaults as faults } from './response-faults.ts'
import { findResponseRow, type Place } from './response-store.ts'
import { runResponse } from './run-response.ts'
import { endRun } from './run-store.ts'

/**
 * Cancels a background response. One that has ended stays as it is. The process that answers it notices
 * within a second.
 *
 * @throws Fault response_unknown, not_background
 */
export async function cancelResponse(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  place: Place,
  id: string,
): Promise<StoredResponse> {
  const row = await findResponseRow(ctx.db.read, place, id)
  if (row === undefined) throw new Fault(faults.response_unknown)
  if (row.status === 'direct') throw new Fault(faults.not_background)
  await ctx.db.write(async (tx) => {
    if (await endRun(tx, id, { status: 'cancelled', errorCode: null }))
      await ctx.jobs.withdraw(tx, runResponse, id)
  })
  return await findResponse(ctx, place, id)
}
