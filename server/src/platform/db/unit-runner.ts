import type { QueryResult } from 'kysely'
import type { Logger } from 'pino'
import { nextUrgentSlice, noteWork } from '#kernel/cpu-slice.ts'
import type { Step, Tx } from './database.ts'
import { kyselyOn } from './kysely-on.ts'
import type { SqliteConnection } from './sqlite/sqlite-connection.ts'
import { KeptVersion } from './sqlite/unchanged-reads.ts'
import { assertInside, runInUnit, Unit } from './unit.ts'
import type { Outcome, Waiting } from './waiting-unit.ts'

/**
 * A unit awaits only microtasks and pauses, so the event loop is blocked during a short commit. After
 * this time the commit accepts no further units.
 */
const maxCommitMs = 20
const slowUnitMs = 50
/** After this time, other work runs before the next statement or unit. */
const pauseEveryMs = 7
/** A unit with more steps may pause between them. The unit of a turn has fewer, and needs no promise. */
const stepsAtOnce = 8

/** Runs the units of a commit on the writer's connection. `GroupCommit` begins and ends the commit. */
export class UnitRunner {
  readonly kept = new KeptVersion()
  /** The only unit whose statements may reach the connection. */
  private current: Unit | null = null
  /** Since when the writer has not let other work run. */
  private resumedAt = 0
  private readonly connection: SqliteConnection
  private readonly tx: Tx
  private readonly log: Logger
  private readonly onEnd: (tenant: string, ms: number) => void

  constructor(
    connection: SqliteConnection,
    log: Logger,
    onEnd: (tenant: string, ms: number) => void,
  ) {
    this.connection = connection
    this.log = log
    this.onEnd = onEnd
    // Units begin and end on this connection.
    this.tx = kyselyOn('sqlite', async (sql, parameters) => {
      if (this.current !== null && this.isLong) await this.pause()
      return this.runStatement(sql, parameters)
    }) as Tx
  }

  resume(at: number): void {
    this.resumedAt = at
  }

  /** Slices of other work leave out a turn of the event loop that the writer has used. */
  noteWork(): void {
    noteWork(this.resumedAt)
  }

  private get isLong(): boolean {
    return performance.now() - this.resumedAt >= pauseEveryMs
  }

  /** Other work may read meanwhile: it has a connection of its own. */
  private async pause(): Promise<void> {
    this.noteWork()
    await nextUrgentSlice()
    this.resumedAt = performance.now()
  }

  /** Runs a prepared statement of the current unit. */
  async runWithin(sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    if (this.current !== null && this.isLong) await this.pause()
    return this.runStatement(sql, values).rows
  }

  /** Runs a statement of the current unit. */
  private runStatement<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const unit = this.current
    assertInside(unit)
    this.kept.ran(sql)
    try {
      return this.connection.run<R>(sql, parameters)
    } catch (error) {
      unit.failure ??= { error }
      throw error
    }
  }

  /** @returns null if a unit without a savepoint has failed, so that all must run again */
  async runTogether(batch: readonly Waiting[], hasSavepoints: boolean): Promise<Outcome[] | null> {
    const isAlone = batch.length === 1
    const isSaved = hasSavepoints && !isAlone
    const startedAt = performance.now()
    const outcomes: Outcome[] = []
    for (const waiting of batch) {
      if (this.isLong) await this.pause()
      const given = isSaved ? this.runInSavepoint(waiting) : this.tryUnit(waiting)
      // A promise would take longer than the statements of a turn.
      const outcome = given instanceof Promise ? await given : given
      if ('error' in outcome && isAlone) throw outcome.error
      if ('error' in outcome && !hasSavepoints) return null
      outcomes.push(outcome)
      if (performance.now() - startedAt > maxCommitMs) break
    }
    // The commit writes all pages that the units have changed.
    if (this.isLong) await this.pause()
    return outcomes
  }

  private async runInSavepoint(waiting: Waiting): Promise<Outcome> {
    this.connection.run('savepoint unit', [])
    const outcome = await this.tryUnit(waiting)
    if ('error' in outcome) this.connection.run('rollback to unit', [])
    this.connection.run('release unit', [])
    return outcome
  }

  /** @throws an error that has ended the whole transaction, such as a full disk */
  private tryUnit({ work, tenant }: Waiting): Outcome | Promise<Outcome> {
    if (typeof work === 'function') return this.tryCode(work, tenant)
    if (work.length > stepsAtOnce) return this.tryManySteps(work, tenant)
    const startedAt = performance.now()
    try {
      return { value: this.runSteps(work) }
    } catch (error) {
      return this.failed(error)
    } finally {
      this.ended(tenant, startedAt)
    }
  }

  private async tryManySteps(steps: readonly Step[], tenant: string): Promise<Outcome> {
    const startedAt = performance.now()
    try {
      let value: readonly unknown[] = []
      for (let at = 0; at < steps.length; at += stepsAtOnce) {
        if (this.isLong) await this.pause()
        value = this.runSteps(steps.slice(at, at + stepsAtOnce))
      }
      return { value }
    } catch (error) {
      return this.failed(error)
    } finally {
      this.ended(tenant, startedAt)
    }
  }

  private runSteps(steps: readonly Step[]): readonly unknown[] {
    let rows: readonly unknown[] = []
    for (const { sql, values, orFail } of steps) {
      this.kept.ran(sql)
      rows = this.connection.rows(sql, values)
      if (orFail !== undefined && rows.length === 0) throw new Error(orFail)
    }
    return rows
  }

  private async tryCode(code: (tx: Tx) => Promise<unknown>, tenant: string): Promise<Outcome> {
    const unit = new Unit()
    const startedAt = performance.now()
    this.current = unit
    try {
      return { value: await runInUnit(unit, () => code(this.tx)) }
    } catch (error) {
      return this.failed(error)
    } finally {
      this.current = null
      this.ended(tenant, startedAt)
    }
  }

  private failed(error: unknown): Outcome {
    if (!this.connection.raw.isTransaction) throw error
    return { error }
  }

  private ended(tenant: string, startedAt: number): void {
    const ms = performance.now() - startedAt
    this.onEnd(tenant, ms)
    if (ms > slowUnitMs)
      this.log.warn({ ms: Math.round(ms) }, 'a unit of work held the database for long')
  }
}

export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
