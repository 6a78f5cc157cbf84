import { commonFaults, isFault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { Value } from '#platform/db/database.ts'
import { FairQueue } from '#platform/db/fair-queue.ts'
import { gathering } from '#platform/db/gathering.ts'
import { bindable } from '#platform/db/parameters.ts'
import { PostgresBatch, type BatchedStatement } from './postgres-batch.ts'
import { isCancelled, postgresFault } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { noteDuration } from '#platform/db/slow-statements.ts'
import { currentTenant, forTenant } from '#platform/db/tenant.ts'

interface Waiting extends BatchedStatement {
  readonly tenant: string
  resolve(rows: readonly unknown[]): void
  reject(error: unknown): void
}

interface BatchOptions {
  readonly name: 'reads' | 'writes'
  /** Its connections use READ COMMITTED. */
  readonly pool: PostgresPool
  /** SQL that every batch runs first, where its connections keep no settings. */
  readonly settings: string | null
  /** Batches that run at the same time; later statements wait for the next batch. */
  readonly maxRunning: number
  /** Runs a statement whose batch was rolled back. */
  alone(sql: string, values: readonly Value[]): Promise<readonly unknown[]>
}

const maxPerBatch = 64

/**
 * The group commit of PostgreSQL: statements that wait together share one packet, one transaction
 * and one flush to disk. While more wait than fit, each tenant gets an equal part of a batch.
 * Callers learn of success only after the commit. When a batch fails, the server rolls back all of
 * it, and each statement runs again alone, so that only the one that caused the failure fails.
 */
export class PostgresBatches {
  private readonly options: BatchOptions
  private readonly waiting = new FairQueue<Waiting>()
  /** What was called with `runShared` and is not sent yet, by statement and by values. */
  private readonly shared = new Map<string, Map<string, Promise<readonly unknown[]>>>()
  private running = 0
  private isDue = false
  private unsettled = 0
  private readonly settled = Promise.withResolvers<void>()
  private isClosing = false

  constructor(options: BatchOptions) {
    this.options = options
  }

  async run(sql: string, values: readonly Value[]): Promise<readonly unknown[]> {
    const given = bindable(values)
    this.unsettled += 1
    try {
      return await new Promise((resolve, reject) => {
        const tenant = currentTenant()
        this.waiting.push(tenant, { tenant, sql, values: given, rows: [], resolve, reject })
        this.schedule()
      })
    } finally {
      this.unsettled -= 1
      this.noticeEnd()
    }
  }

  /** Like `run`; calls with the same values that wait for the same batch share its rows. */
  runShared(sql: string, values: readonly Value[]): Promise<readonly unknown[]> {
    const key = JSON.stringify(values)
    const ofStatement = this.shared.get(sql) ?? new Map<string, Promise<readonly unknown[]>>()
    this.shared.set(sql, ofStatement)
    const rows = ofStatement.get(key) ?? this.run(sql, values)
    ofStatement.set(key, rows)
    return rows
  }

  /** Resolves when no statement waits or runs. End the pools after that. */
  async close(): Promise<void> {
    this.isClosing = true
    this.noticeEnd()
    await this.settled.promise
  }

  private noticeEnd(): void {
    if (this.isClosing && this.unsettled === 0) this.settled.resolve()
  }

  /**
   * Waits until every request of this event loop turn has joined. While another batch runs, those of later
   * turns join as well, as long as each turn brings some: two small batches cost more than a large one.
   */
  private schedule(): void {
    if (this.isDue || this.waiting.size === 0) return
    if (this.running >= this.options.maxRunning) return
    this.isDue = true
    const until = performance.now() + gathering.ms
    setImmediate(() => this.gather(1, 0, until))
  }

  private gather(turn: number, before: number, until: number): void {
    const { size } = this.waiting
    const mayGrow = this.running > 0 && size > before && size < gathering.size
    if (mayGrow && turn < gathering.turns && performance.now() < until)
      return void setImmediate(() => this.gather(turn + 1, size, until))
    this.isDue = false
    this.shared.clear()
    void this.runBatch(this.waiting.take(maxPerBatch).toSorted(inOneOrder))
  }

  private async runBatch(batch: readonly Waiting[]): Promise<void> {
    this.running += 1
    this.schedule()
    try {
      await this.send(batch)
      for (const { rows, resolve } of batch) resolve(rows)
    } catch (error) {
      this.recover(batch, error)
    } finally {
      this.running -= 1
      this.schedule()
    }
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    const { pool, settings } = this.options
    const client = await pool.connect()
    const first = settings === null ? [] : [{ sql: settings, values: [], rows: [] }]
    const sent = new PostgresBatch([...first, ...batch], settings === null)
    try {
      const began = performance.now()
      await pool.ask(client, () => client.query(sent).done)
      tallies.batch.add(performance.now() - began, this.options.name)
      noteDuration(batch[0]?.sql ?? '', began)
      client.release()
    } catch (error) {
      // It is now unknown which statements this connection has prepared: replace it.
      client.release(true)
      throw error
    }
  }

  private recover(batch: readonly Waiting[], cause: unknown): void {
    const error = postgresFault(cause)
    // The server may have committed, so running the statements again could repeat the work.
    const isLost = isFault(error, commonFaults.database_unavailable) && !isCancelled(cause)
    for (const { tenant, sql, values, resolve, reject } of batch)
      if (isLost) reject(error)
      else forTenant(tenant, () => this.options.alone(sql, values)).then(resolve, reject)
  }
}

/** Two batches that lock the same rows must lock them in the same order to avoid a deadlock. */
function inOneOrder(one: BatchedStatement, other: BatchedStatement): number {
  return compare(one.sql, other.sql) || compare(String(one.values[0]), String(other.values[0]))
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}
