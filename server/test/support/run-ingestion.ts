import { embeddingJobs } from '#features/embeddings/index.ts'
import { renewIndex } from '#features/full-text/index.ts'
import { ingestionJobs } from '#features/ingestion/index.ts'
import { createJobs, type JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import type { Ground } from './ground.ts'

const day = 24 * 60 * 60 * 1000

/**
 * Runs the ingestion that is due now, or was put off by a failure, as the service does. A process that
 * dies writes nothing from that unit on, and another one finds its lease ended.
 */
export async function runIngestion(
  ground: Ground,
  { diesAtUnit, later = true }: { readonly diesAtUnit?: number; readonly later?: boolean } = {},
): Promise<void> {
  if (later) ground.advance(day / 24)
  const queue: JobQueue = createJobs(ground.ctx.clock)
  const ctx = diesAtUnit === undefined ? ground.ctx : dying(ground.ctx, diesAtUnit)
  const runner = createJobRunner(ctx, queue, [...ingestionJobs, ...embeddingJobs, renewIndex])
  try {
    await runner.runDue()
  } catch (error) {
    if (diesAtUnit === undefined) throw error
  } finally {
    await runner.stop()
  }
}

function dying(ctx: Ground['ctx'], diesAtUnit: number): Ground['ctx'] {
  const { db } = ctx
  let units = 0
  const write: typeof db.write = async (unit) => {
    units += 1
    if (units >= diesAtUnit) throw new Error('the process has died')
    return await db.write(unit)
  }
  return { ...ctx, db: { ...db, write } }
}
