import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Tx } from './database.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isBusy } from './sqlite-errors.ts'

interface Waiting {
  run(tx: Tx): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

const mostUnitsPerCommit = 256
const slowUnitMs = 50
const busyPatienceMs = 10_000

/**
 * Commits waiting units together: one transaction, each unit in its own savepoint, one flush to
 * disk. Nobody hears of success before the commit; a failing unit takes only itself back. When the
 * commit itself fails, each unit is replayed alone, so that only the culprit fails.
 */
export class GroupCommit {
  private readonly connection: SqliteConnection
  private readonly tx: Tx
  private readonly log: Logger
  private readonly insideUnit = new AsyncLocalStorage<true>()
  private queue: Waiting[] = []
  private draining: Promise<void> | null = null

  constructor(connection: SqliteConnection, tx: Tx, log: Logger) {
    this.connection = connection
    this.tx = tx
    this.log = log
  }

  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.insideUnit.getStore() === true)
      return Promise.reject(new Error('A unit of work must not begin another: pass it its tx'))
    return new Promise<T>((resolve, reject) => {
      // `run` gives what `resolve` takes: both are T of this call.
      this.queue.push({ run: unit, resolve: resolve as (value: unknown) => void, reject })
      this.draining ??= this.drain()
    })
  }

  /** Resolves when every unit that waits now has been settled. */
  async settle(): Promise<void> {
    while (this.draining !== null) await this.draining
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      // Lets all requests of this turn of the event loop join the batch, and others be served between.
      await new Promise((resolve) => setImmediate(resolve))
      const batch = this.queue.splice(0, mostUnitsPerCommit)
      await this.commitTogether(batch)
    }
    this.draining = null
  }

  private async commitTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.attempt(batch)
      for (const [index, waiting] of batch.entries()) settle(waiting, outcomes[index])
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error)
      this.log.warn({ err: error, units: batch.length }, 'a group commit failed; units run alone')
      for (const waiting of batch) await this.commitTogether([waiting])
    }
  }

  private async attempt(batch: readonly Waiting[]): Promise<Outcome[]> {
    await this.begin()
    try {
      const outcomes: Outcome[] = []
      for (const waiting of batch) outcomes.push(await this.runUnit(waiting))
      this.connection.run('commit', [])
      return outcomes
    } catch (error) {
      if (this.connection.raw.isTransaction) this.connection.run('rollback', [])
      throw error
    }
  }

  private async runUnit(waiting: Waiting): Promise<Outcome> {
    const startedAt = performance.now()
    this.connection.run('savepoint unit', [])
    try {
      const value = await this.insideUnit.run(true, () => waiting.run(this.tx))
      this.connection.run('release unit', [])
      return { value }
    } catch (error) {
      // Some errors (a full disk) end the whole transaction: then the batch fails as one.
      if (!this.connection.raw.isTransaction) throw error
      this.connection.run('rollback to unit', [])
      this.connection.run('release unit', [])
      return { error }
    } finally {
      const ms = Math.round(performance.now() - startedAt)
      if (ms > slowUnitMs) this.log.warn({ ms }, 'a unit of work held the database for long')
    }
  }

  /** Another process (the command line) may be writing: waits without holding the event loop. */
  private async begin(): Promise<void> {
    const giveUpAt = performance.now() + busyPatienceMs
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        this.connection.run('begin immediate', [])
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() > giveUpAt)
          throw new Fault(commonFaults.database_unavailable, {}, { cause: error })
        await sleep(pause)
      }
    }
  }
}

function settle(waiting: Waiting, outcome: Outcome | undefined): void {
  if (outcome !== undefined && 'value' in outcome) waiting.resolve(outcome.value)
  else waiting.reject(outcome?.error)
}
