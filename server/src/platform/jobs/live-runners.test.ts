import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { until } from '#test/support/until.ts'
import { createJobs } from './create-jobs.ts'
import { createJobRunner, type JobRunner } from './job-runner.ts'
import type { JobContext } from './run-job.ts'

/** Long before the lease of a job ends. */
const releasedWithinMs = 20_000

describeEngines('the jobs of a process', (engine) => {
  const log = pino({ level: 'silent' })
  let ahead = 0
  const clock = { now: () => Date.now() + ahead }
  const queue = createJobs(clock)
  const started: JobRunner[] = []
  let end = Promise.withResolvers<void>()

  beforeEach(async () => {
    end = Promise.withResolvers()
    await engine.database().write((tx) => tx.deleteFrom('jobs').execute())
  })
  afterEach(async () => {
    end.resolve()
    await Promise.all(started.splice(0).map((runner) => runner.stop()))
  })

  /** A process of its own. Without `start` it renews nothing, as if it had ended. */
  function processOf(name: string, ran: string[]): JobRunner {
    const job = defineJob<object, JobContext>({
      kind: 'test.long',
      input: z.object({}),
      async run() {
        ran.push(name)
        await end.promise
      },
    })
    const runner = createJobRunner({ db: engine.database(), clock, log }, queue, [job])
    started.push(runner)
    return runner
  }

  const job = defineJob<object, JobContext>({
    kind: 'test.long',
    input: z.object({}),
    run: async () => undefined,
  })
  const enqueue = () => engine.database().write((tx) => queue.enqueue(tx, job, {}))

  test('are due again seconds after it has ended', async () => {
    const ran: string[] = []
    await enqueue()
    void processOf('ended', ran).runDue()
    await until('the first process runs it', () => ran.length === 1)
    const endedAt = performance.now()
    await processOf('other', ran).start()
    await until('the other runs it', () => ran.length === 2)
    expect(ran).toEqual(['ended', 'other'])
    expect(performance.now() - endedAt).toBeLessThan(releasedWithinMs)
  })

  test('are due again seconds after it was killed while its clock was a day ahead', async () => {
    const ran: string[] = []
    await enqueue()
    const day = 86_400_000
    ahead = day
    void processOf('ended', ran).runDue()
    await until('the first process runs it', () => ran.length === 1)
    ahead = 0
    const endedAt = performance.now()
    await processOf('other', ran).start()
    await until('the other runs it', () => ran.length === 2)
    expect(performance.now() - endedAt).toBeLessThan(releasedWithinMs)
  })

  test('stay with it while it lives, also if its row has ended during an outage', async () => {
    const ran: string[] = []
    await enqueue()
    await processOf('living', ran).start()
    await until('it runs', () => ran.length === 1)
    await processOf('other', ran).start()
    const rows = async () =>
      await engine.database().read.selectFrom('job_runners').select('alive_until').execute()
    for (let outage = 0; outage < 3; outage += 1) {
      // What every process finds after an outage that was longer than a row lives.
      const ended = { alive_until: clock.now() - 60_000 }
      await engine.database().write((tx) => tx.updateTable('job_runners').set(ended).execute())
      await until('the row is renewed', async () =>
        (await rows()).some(({ alive_until: until }) => until > clock.now()),
      )
    }
    expect(ran).toEqual(['living'])
  })

  test('leave no row behind', async () => {
    const ran: string[] = []
    await enqueue()
    end.resolve()
    await processOf('living', ran).start()
    await until('it has run', () => ran.length === 1)
    const rows = async () =>
      await engine.database().read.selectFrom('job_runners').select('id').execute()
    await until('its row is deleted', async () => (await rows()).length === 0)
  })
})
