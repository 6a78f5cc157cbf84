import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clearSource } from './clear-source.ts'
import { withdrawIngestion } from './ingest-ticket.ts'
import { sourceFromRow, type Source } from './source.ts'
import { deleteSourceRow, findSource } from './store.ts'

/**
 * Deletes a source with everything it says: from this commit on no search finds it. A job that reads
 * it finds it gone at its next step, and stops.
 *
 * @returns the source as it was
 * @throws Fault record_not_found
 */
export function deleteSource(
  ctx: Pick<Context, 'db' | 'jobs'>,
  workspaceId: string,
  sourceId: string,
): Promise<Source> {
  return ctx.db.write(async (tx) => {
    const row = await findSource(tx, workspaceId, sourceId)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await clearSource(tx, ctx.db, row)
    await deleteSourceRow(tx, row.id)
    await withdrawIngestion(ctx, tx, row.id)
    return sourceFromRow(row)
  })
}
