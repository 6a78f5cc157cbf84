import pino from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { createJobs } from './create-jobs.ts'
import { createJobRunner } from './job-runner.ts'
import type { JobContext } from './run-job.ts'

const log = pino({ level: 'silent' })

describeEngines('a recurring job that fails', (engine) => {
  test('waits longer after each failure, never longer than its interval, and never ends', async () => {
    let now = 1_800_000_000_000
    let fails = true
    const attempts: { attempt: number; isLast: boolean }[] = []
    const job = defineJob({
      kind: 'test.recurring',
      input: z.object({}),
      everyMs: 60_000,
      async run(_: JobContext, _input, { attempt, isLast }) {
        attempts.push({ attempt, isLast })
        if (fails) throw new Error('no luck')
      },
    })
    const db = engine.database()
    const clock = { now: () => now }
    const queue = createJobs(clock)
    const runner = createJobRunner({ db, clock, log }, queue, [job])
    await db.write((tx) => queue.enqueue(tx, job, {}))

    /** Runs it, and returns the seconds until it is due again. */
    async function runDue() {
      await runner.runDue()
      const row = db.read.selectFrom('jobs').where('kind', '=', job.kind).select('run_at')
      const pause = (await row.executeTakeFirstOrThrow()).run_at - now
      now += pause
      return pause / 1000
    }
    const pauses: number[] = []
    for (let n = 0; n < 12; n += 1) pauses.push(await runDue())
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60])
    expect(attempts.some(({ isLast }) => isLast)).toBe(false)
    fails = false
    expect(await runDue()).toBe(60)
    fails = true
    expect(await runDue()).toBe(1)
    expect(attempts.at(-1)).toEqual({ attempt: 1, isLast: false })
  })
})
