import type { QueryResult } from 'kysely'
import type { Logger } from 'pino'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import { replica, tallies } from '#kernel/tallies.ts'
import { currentCaller, type Caller } from '#platform/db/caller.ts'
import type { Run } from '#platform/db/kysely-on.ts'
import type { LongReads } from '#platform/db/long-reads.ts'
import { isCancelled } from './postgres-errors.ts'
import {
  primaryQuery,
  replicaQuery,
  ReplicaProgress,
  type PrimaryRow,
  type ReplicaRow,
} from '#platform/db/replica-progress.ts'
import { currentTenant } from '#platform/db/tenant.ts'

interface Server {
  /** For the comparison of the two, which no long read delays. */
  readonly run: Run
  readonly longReads: Pick<LongReads, 'scan'>
}

interface ReplicaOptions {
  /** How old the rows of a read may be. */
  readonly maxLagMs: number
  readonly standby: Server
  readonly primary: Server
  readonly log: Logger
}

const longestPauseMs = 1_000

/**
 * Long reads on a standby of the primary, whose rows are at most `maxLagMs` old (decision 51). A read
 * runs on the primary if the replica is further behind, does not answer or fails, and if this process
 * has changed the workspace after the time that the replica has reached.
 */
export class PostgresReplica {
  readonly #options: ReplicaOptions
  readonly #progress = new ReplicaProgress()
  readonly #timer: NodeJS.Timeout
  /** When this process last changed each workspace. */
  readonly #changedAt = new Map<string, number>()
  /** Callers that have read the primary: what they read next must not be older. */
  readonly #pinned = new WeakSet<Caller>()
  #failure: string | null = null
  /** What the log said last; undefined before the first line. */
  #reported: string | null | undefined
  #isMeasuring = false
  #isClosed = false

  constructor(options: ReplicaOptions) {
    this.#options = options
    const pauseMs = Math.min(longestPauseMs, Math.ceil(options.maxLagMs / 5))
    this.#timer = setInterval(() => void this.#measure(), pauseMs).unref()
    void this.#measure()
  }

  /** A unit of the current workspace has ended. */
  noteChange(): void {
    this.#changedAt.set(currentTenant(), performance.now())
  }

  async run<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const caller = currentCaller()
    const reason = this.#whyNot(caller)
    if (reason === null)
      try {
        const result = await this.#options.standby.longReads.scan<R>(sql, parameters)
        tallies.replicaReads.add('replica')
        return result
      } catch (error) {
        if (isEnded(error)) throw error
        this.#noteFailure(error)
      }
    tallies.replicaReads.add(reason ?? 'failed')
    if (caller !== null) this.#pinned.add(caller)
    return await this.#options.primary.longReads.scan<R>(sql, parameters)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    replica.lagMs = null
  }

  #whyNot(caller: Caller | null): 'failed' | 'behind' | 'changed' | null {
    const { freshAt } = this.#progress
    if (this.#failure !== null) return 'failed'
    if (performance.now() - freshAt > this.#options.maxLagMs) return 'behind'
    const changedAt = this.#changedAt.get(currentTenant()) ?? Number.NEGATIVE_INFINITY
    const isPinned = caller !== null && (caller.isBackground || this.#pinned.has(caller))
    return isPinned || changedAt >= freshAt ? 'changed' : null
  }

  /** After a lost connection, reads do not try the replica until it has answered again. */
  #noteFailure(err: unknown): void {
    this.#options.log.debug({ err }, 'a read failed on the replica and runs on the primary')
    if (isFault(err, commonFaults.database_unavailable)) this.#fail('it does not answer', err)
  }

  #fail(failure: string, err?: unknown): void {
    this.#failure = failure
    this.#report(failure, err)
  }

  async #measure(): Promise<void> {
    if (this.#isMeasuring) return
    this.#isMeasuring = true
    const { maxLagMs, primary, standby } = this.#options
    try {
      const askedAt = performance.now()
      const written = await primary.run<PrimaryRow>(primaryQuery, [])
      const applied = await standby.run<ReplicaRow>(replicaQuery, [])
      const problem = this.#progress.note(askedAt, written.rows[0], applied.rows[0], maxLagMs)
      if (problem !== null) return this.#fail(problem)
      this.#failure = null
      const isBehind = performance.now() - this.#progress.freshAt > maxLagMs
      this.#report(isBehind ? `it is more than ${maxLagMs} ms behind` : null)
    } catch (error) {
      this.#fail('it could not be compared with the primary', error)
    } finally {
      const { freshAt } = this.#progress
      if (!this.#isClosed) replica.lagMs = this.#progress.lagMs(performance.now())
      for (const [tenant, at] of this.#changedAt) if (at < freshAt) this.#changedAt.delete(tenant)
      this.#isMeasuring = false
    }
  }

  /** One line when the replica is no longer used, and one when it is again. */
  #report(problem: string | null, err?: unknown): void {
    if (this.#isClosed) return
    const before = this.#reported
    this.#reported = problem
    if (before !== undefined && (before === null) === (problem === null)) return
    const { log } = this.#options
    if (problem === null) log.info('the read replica serves long reads')
    else log.warn({ err }, `the read replica is not used: ${problem}. The primary serves all reads`)
  }
}

const { read_timed_out, caller_left, reads_busy } = commonFaults
const ended: ReadonlySet<string> = new Set([read_timed_out.code, caller_left.code, reads_busy.code])

/**
 * Whether a read was ended or refused because of its own cost or its caller: it would fare no better on
 * the primary, and the standby answers others.
 */
function isEnded(error: unknown): boolean {
  return error instanceof Fault && (ended.has(error.code) || isCancelled(error.cause))
}
