import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob, type JobRun } from '#kernel/job.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { createJobs } from './create-jobs.ts'
import { createJobRunner } from './job-runner.ts'
import type { JobContext } from './run-job.ts'

describeEngines('a job that runs while the service stops', (engine) => {
  const clock = { now: () => 1_800_000_000_000 }
  const queue = createJobs(clock)
  let warnings: string[]

  beforeEach(async () => {
    warnings = []
    await engine.database().write((tx) => tx.deleteFrom('jobs').execute())
  })

  /** Starts a job, stops the runner while it runs, and returns its row. */
  async function interrupted(run: (ctx: JobContext, input: object, run: JobRun) => Promise<void>) {
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
    const started = Promise.withResolvers<void>()
    const job = defineJob<object, JobContext>({
      kind: 'test.long',
      input: z.object({}),
      maxAttempts: 1,
      run: (...given) => {
        started.resolve()
        return run(...given)
      },
    })
    const db = engine.database()
    await db.write((tx) => queue.enqueue(tx, job, {}))
    const runner = createJobRunner({ db, clock, log }, queue, [job])
    const running = runner.runDue()
    await started.promise
    await runner.stop()
    await running
    return await db.read.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()
  }

  const due = { status: 'queued', run_at: clock.now(), attempts: 0, last_error: null }

  test('is due at once, without a warning, and the attempt does not count', async () => {
    const row = await interrupted(async (_ctx, _input, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      signal.throwIfAborted()
    })
    expect(row).toMatchObject(due)
    expect(warnings).toEqual([])
  })

  test('is due at once also if its error only contains the reason', async () => {
    const row = await interrupted(async (_ctx, _input, { signal }) => {
      const cause: unknown = await sleep(60_000, null, { signal }).catch((error: unknown) => error)
      throw new Error('the page could not be read', { cause })
    })
    expect(row).toMatchObject(due)
    expect(warnings).toEqual([])
  })

  test('is due at once also while it reads for long, which ends with it', async () => {
    if (engine.database().engine === 'postgres') return // statements have a timeout there
    const startedAt = performance.now()
    const row = await interrupted(async ({ db }) => {
      await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e12)
        select max(i) from n`.execute(db.scan)
    })
    expect(row).toMatchObject(due)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test('fails as ever if its error is its own', async () => {
    const row = await interrupted(async (_ctx, _input, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('no luck')
    })
    expect(row).toMatchObject({ status: 'failed', attempts: 1, last_error: 'no luck' })
    expect(warnings).toHaveLength(1)
  })
})
