import type { Logger } from 'pino'
import { haveSlicesUsedTurn } from '#kernel/cpu-slice.ts'
import { tallies } from '#kernel/tallies.ts'
import type { WriteOptions } from './database.ts'
import { FairQueue } from './fair-queue.ts'
import { gathering } from './gathering.ts'
import { LockWait } from './lock-wait.ts'
import type { LogFlush } from './sqlite/log-flush.ts'
import type { ReadGuard } from './read-guard.ts'
import type { SqliteConnection } from './sqlite/sqlite-connection.ts'
import { isFailedSync } from './sqlite/sqlite-errors.ts'
import { currentTenant } from './tenant.ts'
import { TurnBudget } from './turn-budget.ts'
import { nextTurn, UnitRunner } from './unit-runner.ts'
import { nestedWrite, refuseInsideUnit } from './unit.ts'
import {
  settle,
  tallyCommit,
  type Outcome,
  type Settled,
  type Waiting,
  type Work,
} from './waiting-unit.ts'

interface GroupCommitParts {
  readonly connection: SqliteConnection
  readonly flush: LogFlush
  readonly guard: Pick<ReadGuard, 'isAlone' | 'producing'>
  readonly log: Logger
}

const maxUnitsPerCommit = 256
/** How long each unit has a savepoint after one has failed. */
const savepointsMs = 1_000

/**
 * Commits waiting units together: one transaction. Units rarely fail, so they have no savepoints, which
 * cost a fifth of a unit. If one fails, all are rolled back and run again, each in its own savepoint, so
 * that only the unit that caused the failure fails; for a second, later commits have savepoints, too.
 * Of waiting units, those of the tenant that has used the least of the writer's time come first. Callers
 * learn of the outcome only after the commit has been flushed, while later units already run: one flush
 * covers all commits before it. When the commit itself fails, each unit is replayed alone.
 */
export class GroupCommit {
  readonly units: UnitRunner
  private readonly connection: SqliteConnection
  private readonly log: Logger
  private readonly flush: LogFlush
  private readonly guard: Pick<ReadGuard, 'isAlone' | 'producing'>
  private readonly queue = new FairQueue<Waiting>()
  private draining: Promise<void> | null = null
  /** Resolves when the latest commit is flushed and its units are settled. */
  private acknowledging: Promise<void> | null = null
  private isClosed = false
  private betweenCommits: (() => Promise<void>) | null = null
  private readonly budget = new TurnBudget()
  private readonly lock = new LockWait()
  private savepointsUntil = 0
  /** Whether the latest commit was full, so that the next one has enough to do. */
  private hasLeftUnits = false

  constructor({ connection, flush, guard, log }: GroupCommitParts) {
    this.connection = connection
    this.flush = flush
    this.guard = guard
    this.units = new UnitRunner(connection, log, (tenant, ms) => this.queue.settle(tenant, ms))
    this.log = log
  }

  /** @returns what the code returns, or the rows of the last statement */
  write(work: Work, options: WriteOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      refuseInsideUnit(nestedWrite)
      if (this.isClosed) throw new Error('The database is closed')
      this.flush.refuseAfterFailure()
      const tenant = currentTenant()
      const mayFlushLater = options.flush === 'later'
      const since = performance.now()
      this.queue.push(tenant, { tenant, work, mayFlushLater, since, resolve, reject })
      tallies.writesWaiting.set(this.queue.size)
      this.draining ??= this.drain()
    })
  }

  /** Runs `code` before the next commit; no unit runs meanwhile. */
  async between(code: () => Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.betweenCommits = () => code().then(resolve, reject)
      this.draining ??= this.drain()
    })
  }

  /** Finishes every waiting unit; later ones are refused. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.draining
    await this.acknowledging
  }

  private async drain(): Promise<void> {
    // The unit of the only answer has nothing to wait for, until such units have used up the turn.
    let began = this.guard.isAlone && !haveSlicesUsedTurn() ? this.budget.begin() : null
    while (this.queue.size > 0 || this.betweenCommits !== null) {
      if (began === null) await this.gather()
      const first = this.betweenCommits
      this.betweenCommits = null
      await first?.()
      this.units.resume(began ?? performance.now())
      began = null
      await this.commit(this.queue.take(maxUnitsPerCommit))
    }
    this.draining = null
  }

  /**
   * Lets every request of this turn of the event loop join, and other work run between commits. While other
   * answers are produced, the requests of later turns join as well, as long as each turn brings some: a
   * commit writes whole pages and needs a flush, so two small commits cost far more than a large one.
   */
  private async gather(): Promise<void> {
    const until = performance.now() + gathering.ms
    await nextTurn()
    let before = this.queue.size
    if (haveSlicesUsedTurn() || this.mayGrow(until)) await nextTurn()
    for (let turn = 2; turn < gathering.turns && this.mayGrow(until); turn += 1) {
      if (this.queue.size === before) return
      before = this.queue.size
      await nextTurn()
    }
  }

  private mayGrow(until: number): boolean {
    const { size } = this.queue
    const isSmall = size < this.guard.producing && size < gathering.size
    return isSmall && !this.hasLeftUnits && performance.now() < until
  }

  private async commit(
    batch: readonly Waiting[],
    hasSavepoints = performance.now() < this.savepointsUntil,
  ): Promise<void> {
    if (batch.length === 0) return
    const began = performance.now()
    try {
      this.flush.refuseAfterFailure()
      await this.lock.begin(() => void this.connection.run('begin immediate', []))
    } catch (error) {
      for (const waiting of batch) waiting.reject(error)
      return
    }
    try {
      const outcomes = await this.units.runTogether(batch, hasSavepoints)
      if (outcomes === null) return await this.runAgain(batch)
      this.connection.run('commit', [])
      this.units.noteWork()
      tallyCommit(batch, began, this.queue.size)
      this.units.kept.committed()
      this.acknowledge(batch, outcomes)
      this.hasLeftUnits = outcomes.length < batch.length
      for (const waiting of batch.slice(outcomes.length).toReversed())
        this.queue.putBack(waiting.tenant, waiting)
    } catch (error) {
      await this.recover(batch, error)
    }
  }

  /**
   * Settles units after the flush of all that they have seen. A unit that failed may have seen a
   * commit that is not flushed yet.
   */
  private acknowledge(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    this.flush.addCommit()
    const others: Settled[] = []
    for (const [at, outcome] of outcomes.entries()) {
      const unit = batch[at]
      if (unit === undefined) continue
      if (unit.mayFlushLater && 'value' in outcome) settle(unit, outcome)
      else others.push({ unit, outcome })
    }
    if (others.length === 0) return
    if (batch.length === 1 && this.queue.size === 0 && this.guard.isAlone) this.flush.flushIfFast()
    this.acknowledging = this.settleFlushed(others)
  }

  private async settleFlushed(pairs: readonly Settled[]): Promise<void> {
    try {
      await this.flush.until(this.flush.visible)
    } catch (error) {
      for (const { unit } of pairs) unit.reject(error)
      return
    }
    for (const { unit, outcome } of pairs) settle(unit, outcome)
  }

  private async recover(batch: readonly Waiting[], error: unknown): Promise<void> {
    this.rollBack()
    if (isFailedSync(error)) this.flush.fail(error)
    if (batch.length === 1) return this.acknowledge(batch, [{ error }])
    this.log.warn({ err: error, units: batch.length }, 'a group commit failed; units run alone')
    for (const waiting of batch) {
      await nextTurn()
      await this.commit([waiting])
    }
  }

  /**
   * If the rollback fails, the next `begin` fails too, which rejects the waiting units.
   */
  private rollBack(): void {
    try {
      if (this.connection.raw.isTransaction) this.connection.run('rollback', [])
    } catch (error) {
      this.log.error({ err: error }, 'the database could not roll back')
    }
  }

  private async runAgain(batch: readonly Waiting[]): Promise<void> {
    this.rollBack()
    this.savepointsUntil = performance.now() + savepointsMs
    await this.commit(batch, true)
  }
}
