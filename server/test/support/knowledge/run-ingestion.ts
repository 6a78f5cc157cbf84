import { embeddingJobs } from '#features/embeddings/index.ts'
import { renewIndex } from '#features/full-text/index.ts'
import { ingestionJobs } from '#features/ingestion/index.ts'
import { createJobs, type JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import type { TestInstance } from '#test/support/test-instance.ts'

const day = 24 * 60 * 60 * 1000

/**
 * Runs the ingestion jobs that are due or delayed by a failure, as the service does. A process that
 * dies writes nothing from that unit on, and the next one finds its lease expired.
 */
export async function runIngestion(
  instance: TestInstance,
  { diesAtUnit, later = true }: { readonly diesAtUnit?: number; readonly later?: boolean } = {},
): Promise<void> {
  if (later) instance.advance(day / 24)
  const queue: JobQueue = createJobs(instance.ctx.clock)
  const ctx = diesAtUnit === undefined ? instance.ctx : dying(instance.ctx, diesAtUnit)
  const runner = createJobRunner(ctx, queue, [...ingestionJobs, ...embeddingJobs, renewIndex])
  try {
    await runner.runDue()
  } catch (error) {
    if (diesAtUnit === undefined) throw error
  } finally {
    await runner.stop()
  }
}

function dying(ctx: TestInstance['ctx'], diesAtUnit: number): TestInstance['ctx'] {
  const { db } = ctx
  let units = 0
  const write: typeof db.write = async (unit) => {
    units += 1
    if (units >= diesAtUnit) throw new Error('the process died')
    return await db.write(unit)
  }
  return { ...ctx, db: { ...db, write } }
}
