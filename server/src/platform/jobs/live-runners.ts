import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { aliveMs, findEnded, keepRunner, releaseJobs } from './runner-store.ts'

const beatMs = 2_000
/**
 * How long a row must stay as it is after its end. After an outage of the database, or of the machine,
 * every row has ended, and each process that is alive renews its own first.
 */
const suspectedMs = 3_000

type LiveContext = Pick<Context, 'db' | 'clock' | 'log'>

/**
 * The row that shows that this process lives while it runs jobs, and the rows of others: the jobs of a
 * process that has ended become due within ten seconds, long before their leases end.
 */
export class LiveRunners {
  readonly #ctx: LiveContext
  readonly #id = newId()
  #beatAt = Number.NEGATIVE_INFINITY
  /** The rows that have ended, with the time from which on they did not change. */
  #suspects = new Map<string, { readonly aliveUntil: number; readonly since: number }>()

  constructor(ctx: LiveContext) {
    this.#ctx = ctx
  }

  /** A new token for the lease of jobs, which names this process. */
  leaseToken(): string {
    return `${this.#id} ${newId()}`
  }

  /** A step of the unit that claims jobs. */
  async enter(tx: Tx): Promise<void> {
    await keepRunner(tx, this.#id, this.#ctx.clock.now() + aliveMs)
  }

  /** To be called about every second while jobs run. */
  async beat(): Promise<void> {
    if (performance.now() - this.#beatAt < beatMs) return
    await this.#ctx.db.write((tx) => this.enter(tx))
    this.#beatAt = performance.now()
  }

  /** To be called about every second. Makes the jobs of processes that have ended due. */
  async releaseEnded(): Promise<void> {
    const { db, clock, log } = this.#ctx
    const ended = await findEnded(db, clock.now())
    const now = performance.now()
    const before = this.#suspects
    this.#suspects = new Map()
    for (const { id, alive_until: aliveUntil } of ended) {
      const known = before.get(id)
      const since = known?.aliveUntil === aliveUntil ? known.since : now
      if (now - since < suspectedMs) {
        this.#suspects.set(id, { aliveUntil, since })
        continue
      }
      const jobs = await db.write((tx) => releaseJobs(tx, { id, aliveUntil }, clock.now()))
      if (jobs > 0) log.warn({ jobs }, 'jobs of a process that has ended are due again')
    }
  }
}
