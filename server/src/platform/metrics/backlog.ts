import { sql } from 'kysely'
import type { Context } from '#platform/context.ts'
import { gauge, type Figures } from './figures.ts'

type BacklogContext = Pick<Context, 'db' | 'clock' | 'log'>

/** However often `/metrics` is read, the database is asked no more often than this. */
const refreshEveryMs = 15_000
/** Of unfinished jobs, only so many are counted: the ones that are due first. */
export const mostCounted = 10_000

interface Counted {
  readonly kind: string
  readonly status: string
  readonly jobs: number
  /** Epoch ms. */
  readonly oldest: number
}

/** The figures of unfinished jobs. A failed read keeps the previous ones and is logged. */
export class Backlog {
  readonly #ctx: BacklogContext
  #counted: readonly Counted[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(ctx: BacklogContext) {
    this.#ctx = ctx
  }

  /** Never waits for a slow database: the figures are then those of the read before. */
  async figures(waitMs: number): Promise<Figures[]> {
    const { clock } = this.#ctx
    if (this.#reading === null && clock.now() - this.#readAt >= refreshEveryMs)
      this.#reading = this.#read().finally(() => (this.#reading = null))
    await Promise.race([this.#reading, elapsed(waitMs)])
    return figuresOf(this.#counted, clock.now())
  }

  async #read(): Promise<void> {
    const { db, clock, log } = this.#ctx
    this.#readAt = clock.now()
    try {
      const first = db.scan
        .selectFrom('jobs')
        .select(['kind', 'status', 'run_at'])
        .where('finished_at', 'is', null)
        .orderBy('run_at')
        .limit(mostCounted)
        .as('first')
      this.#counted = await db.scan
        .selectFrom(first)
        .select(['kind', 'status', sql<number>`count(*)`.as('jobs')])
        .select(sql<number>`min(run_at)`.as('oldest'))
        .groupBy(['kind', 'status'])
        .execute()
    } catch (error) {
      log.warn({ err: error }, 'the backlog of jobs could not be counted for /metrics')
    }
  }
}

function figuresOf(counted: readonly Counted[], now: number): Figures[] {
  const queued = counted.filter(({ status }) => status === 'queued')
  const knowledge = queued.filter(({ kind }) => kind.startsWith('knowledge.'))
  const waiting = knowledge.reduce((sum, { jobs }) => sum + Number(jobs), 0)
  const help = `of the ${mostCounted} unfinished jobs that are due first; read every ${refreshEveryMs / 1000} s.`
  return [
    gauge(
      'parley_jobs',
      `Unfinished jobs by kind and state, ${help}`,
      counted.map(({ kind, status, jobs }) => ({
        value: Number(jobs),
        labels: { kind, state: status },
      })),
      'max',
    ),
    gauge(
      'parley_job_overdue_seconds',
      'How long the oldest queued job of a kind has been due.',
      queued.map(({ kind, oldest }) => ({
        value: Math.max(0, now - Number(oldest)) / 1000,
        labels: { kind },
      })),
      'max',
    ),
    gauge(
      'parley_ingestion_backlog',
      'Queued jobs that read, embed or index knowledge.',
      [{ value: waiting, labels: {} }],
      'max',
    ),
  ]
}

async function elapsed(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms).unref())
}
