import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { until } from '#test/support/until.ts'
import { createJobs } from './create-jobs.ts'
import { createJobRunner } from './job-runner.ts'
import type { JobContext } from './run-job.ts'

const log = pino({ level: 'silent' })

describeEngines('jobs of several workspaces', (engine) => {
  const clock = { now: () => Date.now() }
  const queue = createJobs(clock)
  let started: string[] = []
  let ends: (() => void)[] = []

  beforeEach(async () => {
    started = []
    ends = []
    await engine.database().write((tx) => tx.deleteFrom('jobs').execute())
  })

  const held = defineJob<{ word: string }, JobContext>({
    kind: 'test.held',
    input: z.object({ word: z.string() }),
    maxAtOnce: 2,
    async run(_, { word }) {
      started.push(word)
      await new Promise<void>((resolve) => ends.push(resolve))
    },
  })

  async function enqueue(workspaceId: string, count: number): Promise<void> {
    await engine.database().write(async (tx) => {
      for (let n = 0; n < count; n += 1)
        await queue.enqueue(tx, held, { word: workspaceId }, { workspaceId })
    })
  }

  function runnerOn(db = engine.database()) {
    return createJobRunner({ db, clock, log }, queue, [held])
  }

  const count = (workspaceId: string) => started.filter((word) => word === workspaceId).length

  test('a workspace alone uses all workers', async () => {
    const runner = runnerOn()
    await enqueue('a', 5)
    await runner.start()
    await until('both workers are used', () => count('a') === 2)
    await endAll(runner)
  })

  test('a workspace that came first holds no more than half, also in several processes', async () => {
    const another = engine.another()
    const runners = engine.name === 'postgres' ? [runnerOn(), runnerOn(another)] : [runnerOn()]
    const half = 2 * runners.length
    try {
      await enqueue('a', 20)
      for (const runner of runners) await runner.start()
      await until('it uses all workers', () => count('a') === half)
      await enqueue('b', 20)
      await until('the other has as many', () => count('b') === half)
      await enqueue('c', 1)
      // None of the first has ended: its next job starts in turn with those of the others.
      expect(count('a')).toBe(half)
      ends[0]?.()
      await until('the third starts', () => count('c') === 1)
      expect(count('a')).toBe(half)
    } finally {
      await Promise.all(runners.map((runner) => endAll(runner)))
      await another.close()
    }
  })

  test('while another waits, a workspace gets no more than half, also in several processes', async () => {
    const another = engine.another()
    const runners = engine.name === 'postgres' ? [runnerOn(), runnerOn(another)] : [runnerOn()]
    try {
      await enqueue('a', 30)
      await enqueue('b', 30)
      for (const runner of runners) await runner.start()
      const slots = 2 * runners.length
      for (let ended = 0; ended < 24; ended += 1) {
        await until('the next starts', () => started.length >= ended + slots)
        const held = started.slice(ended).filter((word) => word === 'a').length
        // Of an odd number of running jobs, one workspace has one more.
        expect(held).toBeLessThanOrEqual(slots / 2 + 1)
        ends[ended]?.()
      }
      expect(count('b')).toBeGreaterThan(8)
    } finally {
      await Promise.all(runners.map((runner) => endAll(runner)))
      await another.close()
    }
  })

  async function endAll(runner: ReturnType<typeof runnerOn>): Promise<void> {
    const stopping = runner.stop()
    const timer = setInterval(() => ends.forEach((end) => end()), 5)
    await stopping
    clearInterval(timer)
  }
})
