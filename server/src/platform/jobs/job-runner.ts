import { AsyncLocalStorage } from 'node:async_hooks'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { dayMs } from '#kernel/durations.ts'
import { defineJob, type Job, type SharedLimit } from '#kernel/job.ts'
import { z } from 'zod'
import type { JobQueue } from './create-jobs.ts'
import { leaseMs, runJob, type JobContext } from './run-job.ts'
import { findDueJobs, hasDueJobs } from './due-jobs.ts'
import { LiveRunners } from './live-runners.ts'
import { claimJobs, deleteFinished, type JobRow } from './store.ts'

export type JobRunner = Pick<Runner<JobContext>, 'start' | 'runDue' | 'stop'>

const pollMs = 1_000
/** `onEnqueued` fires before the unit commits; after this time the unit has mostly committed. */
const commitMs = 15
const maxAtOnce = 4

/** Kinds of jobs that are claimed together and share a limit. */
interface Group {
  readonly kinds: string[]
  readonly max: number
  readonly shared: SharedLimit | null
  /**
   * Whether there are as many slots again for workspaces that run fewer of these jobs than another one:
   * jobs may take hours, and one workspace must not hold more than half of the slots for that long.
   */
  readonly isBalanced: boolean
}

/** Runs the jobs of these kinds; any number of runners can share a database. */
export function createJobRunner<Context extends JobContext>(
  ctx: Context,
  queue: JobQueue,
  features: readonly Job<unknown, Context>[],
): JobRunner {
  return new Runner(ctx, queue, [...features, purgeFinishedJobs])
}

class Runner<Context extends JobContext> {
  private readonly ctx: Context
  private readonly queue: JobQueue
  private readonly jobs: ReadonlyMap<string, Job<unknown, Context>>
  private readonly groups: readonly Group[]
  private readonly live: LiveRunners
  /** Kinds that run even after their workspace was deleted. */
  private readonly outliving: readonly string[]
  /** Running jobs, each with its kind. */
  private readonly running = new Map<Promise<void>, string>()
  /** Where the next look for due jobs begins, for each group. */
  private readonly after = new Map<Group, string>()
  private readonly stopping = new AbortController()
  private timer: NodeJS.Timeout | null = null
  private wakesAt = 0
  private looking: Promise<void> = Promise.resolve()
  private isLooking = false
  /**
   * Whether a look was requested while another one ran: a busy writer can delay its claim for long.
   */
  private isWanted = false
  /** Jobs are enqueued inside a unit; timers set from there must not run as part of it. */
  private readonly outside = AsyncLocalStorage.snapshot()

  constructor(ctx: Context, queue: JobQueue, jobs: readonly Job<unknown, Context>[]) {
    this.ctx = ctx
    this.queue = queue
    this.jobs = new Map(jobs.map((job) => [job.kind, job]))
    this.groups = groupsOf(jobs)
    this.live = new LiveRunners(ctx)
    this.outliving = jobs.filter((job) => job.outlivesWorkspace).map(({ kind }) => kind)
  }

  /** Enqueues recurring jobs that are missing, then polls for due ones. */
  async start(): Promise<void> {
    await enqueueRecurring(this.ctx, this.queue, [...this.jobs.values()])
    this.queue.onEnqueued((runAt) => {
      if (runAt <= this.ctx.clock.now()) this.wakeIn(commitMs)
    })
    this.wakeIn(0)
  }

  /** Runs due jobs, and those that become due, until none is left. @returns how many ran */
  async runDue(): Promise<number> {
    let count = 0
    for (;;) {
      const rows = await this.take()
      if (rows.length === 0) return count
      count += rows.length
      await Promise.all(rows.map((row) => this.run(row)))
    }
  }

  /** Claims no more jobs, aborts the signal of running ones, and waits for them. */
  async stop(): Promise<void> {
    this.stopping.abort()
    if (this.timer !== null) clearTimeout(this.timer)
    await this.looking
    await Promise.all(this.running.keys())
  }

  /** Claims due jobs. It reads before it writes, so an idle service writes nothing. */
  private async take(): Promise<JobRow[]> {
    const { db, clock } = this.ctx
    const now = clock.now()
    if (this.stopping.signal.aborted || !(await hasDueJobs(db.read, now))) return []
    const rows: JobRow[] = []
    const { outliving } = this
    // On SQLite, the reads of all groups would follow each other in one turn of the event loop.
    const slice = new CpuSlice()
    for (const group of this.groups) {
      if (slice.isOver) await slice.next()
      const { kinds } = group
      const free = this.freeSlots(group, rows, 1)
      const isBalancing = free <= 0 && group.isBalanced
      const limit = isBalancing ? this.freeSlots(group, rows, 2) : free
      if (limit <= 0) continue
      const after = this.after.get(group) ?? ''
      const search = { kinds, outliving, limit, isBalancing, now, after }
      const { ids, next } = await findDueJobs(db.read, db.engine, search)
      this.after.set(group, next)
      if (ids.length === 0) continue
      const leaseToken = this.live.leaseToken()
      const claim = { ids, now, leaseUntil: now + leaseMs, leaseToken }
      const claimed = await db.write(async (tx) => {
        await this.live.enter(tx)
        return await claimJobs(tx, db.engine, claim)
      })
      rows.push(...claimed)
    }
    return rows
  }

  /**
   * @param taken jobs just claimed, which are not in `running` yet
   * @param times how often each limit counts
   */
  private freeSlots({ kinds, max, shared }: Group, taken: readonly JobRow[], times: 1 | 2): number {
    const busy = [...this.running.values(), ...taken.map(({ kind }) => kind)]
    const own = times * max - busy.filter((kind) => kinds.includes(kind)).length
    if (shared === null) return own
    const sharing = busy.filter((kind) => this.jobs.get(kind)?.sharedLimit === shared)
    return Math.min(own, times * shared.max - sharing.length)
  }

  private run(row: JobRow): Promise<void> {
    const job = this.jobs.get(row.kind)
    if (job === undefined) throw new Error(`A job of an unknown kind was claimed: ${row.kind}`)
    const done = runJob(this.ctx, job, row, this.stopping.signal).finally(() =>
      this.running.delete(done),
    )
    this.running.set(done, row.kind)
    return done
  }

  private async look(): Promise<void> {
    this.isLooking = true
    try {
      if (this.running.size > 0) await this.live.beat()
      await this.live.releaseEnded()
      const rows = await this.take()
      for (const row of rows) void this.run(row).finally(() => this.wakeIn(0))
    } catch (error) {
      this.ctx.log.warn({ err: error }, 'could not look for due jobs')
    }
    this.isLooking = false
    this.wakeIn(this.isWanted ? 0 : pollMs)
    this.isWanted = false
  }

  /** Schedules the next look in `ms`, unless an earlier one is scheduled already. */
  private wakeIn(ms: number): void {
    if (this.stopping.signal.aborted) return
    const at = performance.now() + ms
    if (this.timer !== null && this.wakesAt <= at) return
    if (this.timer !== null) clearTimeout(this.timer)
    this.wakesAt = at
    this.timer = this.outside(() =>
      setTimeout(() => {
        this.timer = null
        if (this.isLooking) this.isWanted = true
        else this.looking = this.look()
      }, ms),
    )
    this.timer.unref()
  }
}

/**
 * Kinds without a limit of their own form one group, every other kind a group of its own: a crawl that
 * takes hours must not delay a payment.
 */
function groupsOf(jobs: readonly Pick<Job, 'kind' | 'maxAtOnce' | 'sharedLimit'>[]): Group[] {
  const unbound = jobs.filter(({ maxAtOnce: max }) => !Number.isFinite(max))
  const bound = jobs.filter(({ maxAtOnce: max }) => Number.isFinite(max))
  return [
    { kinds: unbound.map(({ kind }) => kind), max: maxAtOnce, shared: null, isBalanced: true },
    ...bound.map(({ kind, maxAtOnce: max, sharedLimit: shared }) => ({
      kinds: [kind],
      max,
      shared,
      isBalanced: max > 1,
    })),
  ]
}

async function enqueueRecurring<Context extends JobContext>(
  { db }: Context,
  queue: JobQueue,
  jobs: readonly Job<unknown, Context>[],
): Promise<void> {
  const recurring = jobs.filter(({ everyMs }) => everyMs !== null)
  await db.write(async (tx) => {
    for (const job of recurring) await queue.enqueue(tx, job, {}, { key: 'recurring' })
  })
}

/** Deletes finished jobs after a day, and failed ones after thirty, so that they can be examined. */
const purgeFinishedJobs = defineJob({
  kind: 'jobs.purge_finished',
  input: z.object({}),
  everyMs: 60 * 60 * 1000,
  async run({ db, clock }: JobContext) {
    const now = clock.now()
    await db.write((tx) => deleteFinished(tx, { done: now - dayMs, failed: now - 30 * dayMs }))
  },
})
