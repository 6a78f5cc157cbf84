import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Database } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { createJobs } from './create-jobs.ts'
import { createJobRunner } from './job-runner.ts'
import type { JobContext } from './run-job.ts'

describeEngines('a claim of jobs that waits for a busy writer', (engine) => {
  test('is followed by one look for jobs, however many are wanted meanwhile', async () => {
    const clock = { now: () => 1_800_000_000_000 }
    const queue = createJobs(clock)
    const own = engine.database()
    let isBusy = false
    let reads = 0
    let runs = 0
    const claims = Promise.withResolvers<void>()
    const freed = Promise.withResolvers<void>()
    const write: Database['write'] = async (unit, options) => {
      if (isBusy) {
        claims.resolve()
        await freed.promise
      }
      return await own.write(unit, options)
    }
    const db: Database = {
      ...own,
      write,
      get read() {
        reads += 1
        return own.read
      },
    }
    const job = defineJob<object, JobContext>({
      kind: 'test.wanted',
      input: z.object({}),
      async run() {
        runs += 1
      },
    })
    const want = async () => {
      await own.write((tx) => queue.enqueue(tx, job, {}, { key: 'one' }))
      await sleep(17) // A look is wanted 15 ms after a job is enqueued.
    }
    const log = pino({ level: 'silent' })
    const runner = createJobRunner({ db, clock, log }, queue, [job])
    await runner.start()
    isBusy = true
    await want()
    await claims.promise
    for (let n = 0; n < 20; n += 1) await want()
    reads = 0
    freed.resolve()
    await expect.poll(() => runs).toBeGreaterThan(0)
    await runner.stop()
    expect(reads).toBeLessThan(15)
  })
})
