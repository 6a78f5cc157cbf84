import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob, type Job } from '#kernel/job.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { createJobs } from './create-jobs.ts'
import { createJobRunner } from './job-runner.ts'
import type { JobContext } from './run-job.ts'

const log = pino({ level: 'silent' })

describeEngines('jobs', (engine) => {
  let now = 1_800_000_000_000
  const clock = { now: () => now }
  const queue = createJobs(clock)
  let ran: string[] = []

  beforeEach(async () => {
    ran = []
    await engine.database().write((tx) => tx.deleteFrom('jobs').execute())
  })

  function instance(db = engine.database()): JobContext {
    return { db, clock, log }
  }

  function note(definition: Partial<Job<{ word: string }, JobContext>> = {}) {
    return defineJob<{ word: string }, JobContext>({
      kind: 'test.note',
      input: z.object({ word: z.string() }),
      async run(_, { word }) {
        ran.push(word)
      },
      ...definition,
    })
  }

  function enqueue(job: ReturnType<typeof note>, word: string, options = {}) {
    return engine.database().write((tx) => queue.enqueue(tx, job, { word }, options))
  }

  function rows() {
    return engine.database().read.selectFrom('jobs').selectAll().orderBy('id').execute()
  }

  test('a job runs once, after the unit that enqueued it', async () => {
    const job = note()
    const runner = createJobRunner(instance(), queue, [job])
    await enqueue(job, 'hello')
    expect(await runner.runDue()).toBe(1)
    expect(await runner.runDue()).toBe(0)
    expect(ran).toEqual(['hello'])
    expect(await rows()).toMatchObject([{ status: 'done', attempts: 1, finished_at: now }])
  })

  test('a unit that fails enqueues nothing', async () => {
    const job = note()
    const unit = engine.database().write(async (tx) => {
      await queue.enqueue(tx, job, { word: 'never' })
      throw new Error('the change failed')
    })
    await expect(unit).rejects.toThrow('the change failed')
    expect(await rows()).toEqual([])
  })

  test('invalid input is refused when the job is enqueued', async () => {
    const bad = { word: 5 } as unknown as { word: string } // what an untyped caller could give
    const unit = engine.database().write((tx) => queue.enqueue(tx, note(), bad))
    await expect(unit).rejects.toThrow()
  })

  test('a failure is retried after a delay that doubles, and the last one is final', async () => {
    const job = note({
      maxAttempts: 3,
      async run() {
        ran.push('tried')
        throw new Error('no luck')
      },
    })
    const runner = createJobRunner(instance(), queue, [job])
    await enqueue(job, 'x')
    for (const pause of [1000, 2000]) {
      await runner.runDue()
      expect(await rows()).toMatchObject([
        { status: 'queued', run_at: now + pause, last_error: 'no luck' },
      ])
      now += pause
    }
    await runner.runDue()
    expect(ran).toHaveLength(3)
    expect(await rows()).toMatchObject([{ status: 'failed', attempts: 3, finished_at: now }])
  })

  test('a job whose worker died is due again when its lease expires', async () => {
    const job = note()
    await enqueue(job, 'orphan')
    const token = {
      status: 'running' as const,
      lease_token: 'dead',
      run_at: now + 60_000,
      attempts: 1,
    }
    await engine.database().write((tx) => tx.updateTable('jobs').set(token).execute())
    const runner = createJobRunner(instance(), queue, [job])
    expect(await runner.runDue()).toBe(0)
    now += 60_000
    expect(await runner.runDue()).toBe(1)
    expect(ran).toEqual(['orphan'])
  })

  test('a job that kills its worker every time is abandoned', async () => {
    const job = note({ maxAttempts: 2 })
    await enqueue(job, 'poison')
    const token = { status: 'running' as const, lease_token: 'dead', run_at: now, attempts: 2 }
    await engine.database().write((tx) => tx.updateTable('jobs').set(token).execute())
    await createJobRunner(instance(), queue, [job]).runDue()
    expect(ran).toEqual([])
    expect(await rows()).toMatchObject([{ status: 'failed' }])
  })

  test('only one live job of a kind has a given key: it is moved forward, not duplicated', async () => {
    const job = note()
    await enqueue(job, 'first', { key: 'k', runAt: now + 5000 })
    await enqueue(job, 'second', { key: 'k', runAt: now + 9000 })
    expect(await rows()).toMatchObject([{ run_at: now + 5000 }])
    await enqueue(job, 'third', { key: 'k' })
    expect(await createJobRunner(instance(), queue, [job]).runDue()).toBe(1)
    expect(ran).toEqual(['first'])
    await enqueue(job, 'fourth', { key: 'k' })
    expect(await rows()).toHaveLength(2)
  })

  test('a job that is enqueued again while it runs, runs again', async () => {
    const job: Job<{ word: string }, JobContext> = note({
      async run(_, { word }) {
        ran.push(word)
        if (ran.length === 1) await enqueue(job, 'again', { key: 'k' })
      },
    })
    await enqueue(job, 'once', { key: 'k' })
    expect(await createJobRunner(instance(), queue, [job]).runDue()).toBe(2)
    expect(ran).toEqual(['once', 'once'])
  })

  test('a job that is enqueued for now and by a schedule while it runs, runs again now', async () => {
    const job: Job<{ word: string }, JobContext> = note({
      async run(_, { word }) {
        ran.push(word)
        if (ran.length > 1) return
        await enqueue(job, 'now', { key: 'k' })
        await enqueue(job, 'tomorrow', { key: 'k', runAt: now + 86_400_000 })
      },
    })
    await enqueue(job, 'once', { key: 'k' })
    expect(await createJobRunner(instance(), queue, [job]).runDue()).toBe(2)
  })

  test('long-running jobs of bounded kinds do not delay others', async () => {
    const { promise: hours, resolve: end } = Promise.withResolvers<void>()
    const long = (kind: string) => note({ kind, maxAtOnce: 2, run: () => hours }) // crawls, embeddings
    const longs = [long('test.crawl'), long('test.embed')]
    const job = note()
    for (const one of longs) for (const word of ['a', 'b', 'c']) await enqueue(one, word)
    const runner = createJobRunner(instance(), queue, [...longs, job])
    await runner.start()
    const running = async () => (await rows()).filter(({ status }) => status === 'running').length
    await expect.poll(running, { timeout: 10_000 }).toBe(4)
    await enqueue(job, 'short')
    await expect.poll(() => ran, { timeout: 10_000 }).toEqual(['short'])
    expect(await running()).toBe(4)
    end()
    await runner.stop()
  })

  test('kinds that share a limit leave the slots that one of them cannot use to the others', async () => {
    let end = (): void => undefined
    const hours = new Promise<void>((resolve) => {
      end = resolve
    })
    const sharedLimit = { max: 3 }
    const bound = { maxAtOnce: 2, sharedLimit, run: () => hours }
    const [crawl, file] = [
      note({ kind: 'test.crawl', ...bound }),
      note({ kind: 'test.file', ...bound }),
    ]
    const running = async (job: { kind: string }) =>
      (await rows()).filter((row) => row.kind === job.kind && row.status === 'running').length
    for (const word of ['a', 'b', 'c']) await enqueue(crawl, word)
    const runner = createJobRunner(instance(), queue, [crawl, file])
    await runner.start()
    await expect.poll(() => running(crawl), { timeout: 10_000 }).toBe(2)
    for (const word of ['a', 'b']) await enqueue(file, word)
    await expect.poll(() => running(file), { timeout: 10_000 }).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 1_200)) // the runner has looked again
    expect([await running(crawl), await running(file)]).toEqual([2, 1])
    end()
    await runner.stop()
  })

  test('a shared limit applies within one claim too', async () => {
    const sharedLimit = { max: 1 }
    let most = 0
    let now = 0
    const run = async () => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 20))
      now -= 1
    }
    const jobs = ['test.crawl', 'test.file'].map((kind) =>
      note({ kind, maxAtOnce: 1, sharedLimit, run }),
    )
    for (const job of jobs) await enqueue(job, 'a')
    expect(await createJobRunner(instance(), queue, jobs).runDue()).toBe(2)
    expect(most).toBe(1)
  })

  test('a queued job can be cancelled by its key', async () => {
    const job = note()
    await enqueue(job, 'gone', { key: 'k' })
    await engine.database().write((tx) => queue.withdraw(tx, job, 'k'))
    expect(await createJobRunner(instance(), queue, [job]).runDue()).toBe(0)
  })

  test('a job can request to run again without a failure', async () => {
    const job = note({
      async run() {
        ran.push('x')
        return ran.length < 3 ? { runAgainAt: now } : undefined
      },
    })
    await enqueue(job, 'x')
    await createJobRunner(instance(), queue, [job]).runDue()
    expect(ran).toHaveLength(3)
  })

  test('twenty jobs and four runners on two databases: each job runs once', async () => {
    const job = note()
    for (let index = 0; index < 20; index += 1) await enqueue(job, `job ${index}`)
    const other = engine.another()
    const runners = [engine.database(), other, engine.database(), other].map((db) =>
      createJobRunner(instance(db), queue, [job]),
    )
    await Promise.all(runners.map((runner) => runner.runDue()))
    await other.close()
    expect(ran.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `job ${i}`).toSorted())
  })

  test('a started runner runs enqueued jobs and recurring jobs', async () => {
    const arrived = Promise.withResolvers<void>()
    const job = note({
      async run(_, { word }) {
        ran.push(word)
        arrived.resolve()
      },
    })
    const recurred = Promise.withResolvers<void>()
    const recurring = defineJob({
      kind: 'test.recurring',
      input: z.object({}),
      everyMs: 5000,
      async run() {
        recurred.resolve()
      },
    })
    const own = createJobs(clock)
    const runner = createJobRunner(instance(), own, [job, recurring])
    await runner.start()
    await engine.database().write((tx) => own.enqueue(tx, job, { word: 'live' }))
    await Promise.all([arrived.promise, recurred.promise])
    await runner.stop()
    expect(ran).toEqual(['live'])
    const waiting = (await rows()).find(({ kind }) => kind === 'test.recurring')
    expect(waiting).toMatchObject({ status: 'queued', run_at: now + 5000 })
  })

  test('a runner that is woken by a slow unit looks for jobs outside of it', async () => {
    const warnings: unknown[] = []
    const loud = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
    const job = note()
    const runner = createJobRunner({ ...instance(), log: loud }, queue, [job])
    await runner.start()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await engine.database().write(async (tx) => {
      await queue.enqueue(tx, job, { word: 'slow' })
      await new Promise((resolve) => setTimeout(resolve, 100))
    })
    await expect.poll(() => ran, { timeout: 3000 }).toEqual(['slow'])
    await runner.stop()
    expect(warnings).toEqual([])
  })
})
