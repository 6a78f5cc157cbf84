import type { QueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import { tallies } from '#kernel/tallies.ts'
import type { Tx, Value } from '#platform/db/database.ts'
import { kyselyOn } from '#platform/db/kysely-on.ts'
import { bindable } from '#platform/db/parameters.ts'
import { noteDuration } from '#platform/db/slow-statements.ts'
import { assertInside, assertOpen, runInUnit, Unit } from '#platform/db/unit.ts'
import { PostgresBatch, type BatchedStatement } from './postgres-batch.ts'
import { isReplayable, postgresFault } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'

/** The code of a unit. */
export interface UnitCode<T> {
  run(tx: Tx): Promise<T>
  /** Calls a function in the asynchronous context of the unit's caller. */
  within<R>(call: () => R): R
}

/** A statement of a unit that is not answered yet. */
interface Asked extends BatchedStatement {
  readonly unit: Unit
  /** Sent even after the end of its unit. */
  readonly isLater: boolean
  tag: string
  resolve(): void
  reject(error: unknown): void
}

/** What a connection needs of its pool. */
type Asking = Pick<PostgresPool, 'ask' | 'keepsStatements'>

type Given = Pick<Asked, 'sql' | 'isLater' | 'resolve' | 'reject'> & {
  readonly parameters: readonly unknown[]
}

/** A packet has the time limit of one statement (`postgres-watch.ts`). */
const maxPerPacket = 64

/** Command tags of statements that change rows end with the number of rows. */
const changed = /^(?:INSERT|UPDATE|DELETE|MERGE)\b.* (\d+)$/

/**
 * A connection for units. Each packet is a round trip, and on a busy machine both sides wait for the
 * processor in each. So the statements that a unit starts together share a packet, the first one also
 * begins the transaction, and what a unit does later (`runLater`) waits for the next one.
 */
export class UnitConnection {
  readonly tx: Tx
  readonly #client: PoolClient
  readonly #pool: Asking
  #unit: Unit | null = null
  /** What begins the transaction, until it is sent. */
  #opening: readonly string[] = []
  #asked: Asked[] = []
  #sending: Promise<void> | null = null

  constructor(client: PoolClient, pool: Asking) {
    this.#client = client
    this.#pool = pool
    // `begin` and `commit` begin and end the transaction on this connection.
    this.tx = kyselyOn('postgres', (sql, parameters) => this.run(sql, parameters)) as Tx
  }

  /** Begins a transaction with these statements. */
  begin(opening: readonly string[]): void {
    this.#opening = opening
    this.#asked = []
  }

  /** Runs a unit in the transaction. */
  async runUnit<T>({ run, within }: UnitCode<T>): Promise<T> {
    const unit = new Unit()
    this.#unit = unit
    try {
      return await within(() => runInUnit(unit, () => run(this.tx)))
    } catch (error) {
      // The server's own error decides about a replay, even if the unit's code caught or replaced it.
      throw isReplayable(unit.failure?.error) ? unit.failure?.error : error
    } finally {
      await this.#sending
      this.#unit = null
    }
  }

  async commit(): Promise<void> {
    // Without statements, no transaction has begun.
    if (this.#opening.length > 0 && this.#asked.length === 0) return
    const began = performance.now()
    const commit = { sql: 'commit', values: [], rows: [], tag: '' }
    await this.#send([...this.#asked.splice(0), commit])
    // The server answers so, without an error, if a statement failed for which nobody waited.
    if (commit.tag !== 'COMMIT')
      throw new Error('The unit was rolled back: a statement of it failed')
    tallies.commit.add(performance.now() - began)
  }

  /** Only statements of the current unit reach the server, in their order. */
  async run<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const asked = this.#ask({ sql, parameters, isLater: false, resolve, reject })
    this.#sending ??= this.#sendAll()
    await promise
    // The caller knows the rows of its statement.
    const rows = asked.rows as R[]
    const [, count] = changed.exec(asked.tag) ?? []
    return count === undefined ? { rows } : { rows, numAffectedRows: BigInt(count) }
  }

  /** Runs a statement with the next one, at the latest with the commit. Its error is an error of the unit. */
  runLater(sql: string, values: readonly Value[]): void {
    this.#ask({ sql, parameters: values, isLater: true, resolve: ignore, reject: ignore })
  }

  #ask({ parameters, ...given }: Given): Asked {
    const unit = this.#unit
    assertInside(unit)
    try {
      const asked = { ...given, values: bindable(parameters), rows: [], tag: '', unit }
      this.#asked.push(asked)
      return asked
    } catch (error) {
      unit.failure ??= { error }
      throw error
    }
  }

  async #sendAll(): Promise<void> {
    while (this.#asked.length > 0) {
      // Code that can run in this turn of the event loop runs first, so that its statements join the packet.
      await new Promise<void>((resolve) => process.nextTick(resolve))
      const packet: Asked[] = []
      for (const asked of this.#asked.splice(0, maxPerPacket))
        if (!refuseEnded(asked)) packet.push(asked)
      if (packet.length > 0) await this.#sendPacket(packet)
    }
    this.#sending = null
  }

  async #sendPacket(packet: readonly Asked[]): Promise<void> {
    try {
      await this.#send(packet)
      for (const { resolve } of packet) resolve()
    } catch (error) {
      for (const { unit } of packet) unit.failure ??= { error }
      for (const { reject } of packet) reject(error)
    }
  }

  /** @throws Fault as `postgresFault` returns it */
  async #send(statements: readonly BatchedStatement[]): Promise<void> {
    const opening = this.#opening.map((sql) => ({ sql, values: [], rows: [] }))
    this.#opening = []
    const packet = new PostgresBatch([...opening, ...statements], this.#pool.keepsStatements)
    const began = performance.now()
    try {
      await this.#pool.ask(this.#client, () => this.#client.query(packet).done)
    } catch (error) {
      throw postgresFault(error)
    } finally {
      // The log names one statement of a packet (docs/monitoring.md).
      noteDuration(statements[0]?.sql ?? '', began)
    }
  }
}

function ignore(): void {
  // The unit has the error.
}

/** Rejects a statement whose unit has failed or ended since it was asked. @returns whether it did */
function refuseEnded({ unit, isLater, reject }: Asked): boolean {
  if (isLater) return false
  try {
    assertOpen(unit)
    return false
  } catch (error) {
    reject(error)
    return true
  }
}
