import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryResult } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'
import type { Tx, Value } from './database.ts'
import { kyselyOn } from './kysely-on.ts'
import { isReplayable, postgresFault } from './postgres-errors.ts'
import { connect, giveBack } from './postgres-pool.ts'
import { runStatement } from './postgres-statement.ts'
import { currentTenant } from './tenant.ts'
import { assertInside, nestedWrite, refuseInsideUnit, runInUnit, Unit } from './unit.ts'

const maxReplays = 50
const maxPauseMs = 50

/** SQL that a writing connection runs first. */
export const writingSession = [
  // A single statement is a unit too, isolated like one of many statements.
  'set session characteristics as transaction isolation level serializable',
  // A process that lost its network must release its locks before TCP notices hours later.
  "set idle_in_transaction_session_timeout = '60s'",
].join(';')

/** SERIALIZABLE units of work, replayed when the server could not serialize them. */
export class PostgresUnits {
  private readonly pool: Pool
  private readonly log: Logger
  private readonly slots: FairSlots
  private readonly connections = new WeakMap<PoolClient, UnitConnection>()
  private readonly connectionOf = new WeakMap<Tx, UnitConnection>()

  constructor(pool: Pool, log: Logger, slots: FairSlots) {
    this.pool = pool
    this.log = log
    this.slots = slots
  }

  async write<T>(code: (tx: Tx) => Promise<T>): Promise<T> {
    return await this.replayed((client) => this.runUnit(client, code))
  }

  /** Runs one statement as a unit: it needs one round trip and commits at its end. */
  async writeOne(sql: string, values: readonly Value[]): Promise<readonly unknown[]> {
    const { rows } = await this.replayed((client) => runStatement(client, sql, values))
    return rows
  }

  async within(tx: Tx, sql: string, values: readonly Value[]): Promise<readonly unknown[]> {
    const connection = this.connectionOf.get(tx)
    if (connection === undefined) throw new Error('The tx belongs to another database')
    return (await connection.run(sql, values)).rows
  }

  private async replayed<T>(attempt: (client: PoolClient) => Promise<T>): Promise<T> {
    refuseInsideUnit(nestedWrite)
    for (let replays = 0; ; replays++) {
      const since = performance.now()
      const freeSlot = await this.slots.acquire(currentTenant()).catch(unavailable)
      tallies.writeWait.add(performance.now() - since)
      try {
        const outcome = await this.attempted(attempt)
        if ('value' in outcome) return outcome.value
        if (replays >= maxReplays) unavailable(outcome.error)
      } finally {
        freeSlot()
      }
      // Jitter keeps competing units from colliding again at once.
      await sleep(Math.random() * Math.min(2 ** replays, maxPauseMs))
    }
  }

  /** @returns the value, or an error after which the unit can be replayed */
  private async attempted<T>(
    attempt: (client: PoolClient) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly error: unknown }> {
    const client = await connect(this.pool)
    try {
      const value = await attempt(client)
      client.release()
      return { value }
    } catch (error) {
      await giveBack(client, error, this.log)
      if (!isReplayable(error)) throw postgresFault(error)
      return { error }
    }
  }

  private async runUnit<T>(client: PoolClient, code: (tx: Tx) => Promise<T>): Promise<T> {
    const connection = this.connectionOn(client)
    const unit = new Unit()
    await client.query('begin isolation level serializable')
    connection.unit = unit
    try {
      const value = await runInUnit(unit, () => code(connection.tx))
      const began = performance.now()
      await client.query('commit')
      tallies.commit.add(performance.now() - began)
      return value
    } catch (error) {
      // The server's own error decides about a replay, even if the unit's code caught or replaced it.
      throw isReplayable(unit.failure?.error) ? unit.failure?.error : error
    } finally {
      await connection.idle()
    }
  }

  private connectionOn(client: PoolClient): UnitConnection {
    const known = this.connections.get(client)
    if (known !== undefined) return known
    const connection = new UnitConnection(client)
    this.connections.set(client, connection)
    this.connectionOf.set(connection.tx, connection)
    return connection
  }
}

function unavailable(cause: unknown): never {
  throw new Fault(commonFaults.database_unavailable, {}, { cause })
}

/** A writing connection: only statements of its current unit reach the server. */
class UnitConnection {
  readonly tx: Tx
  unit: Unit | null = null
  private readonly client: PoolClient
  private last: Promise<unknown> = Promise.resolve()

  constructor(client: PoolClient) {
    this.client = client
    // runUnit begins and ends the transaction on this connection.
    this.tx = kyselyOn('postgres', (sql, parameters) => this.run(sql, parameters)) as Tx
  }

  /** Statements that a unit starts together run one after another, as on SQLite. */
  async run<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const answer = this.last.then(() => this.runNow<R>(sql, parameters))
    this.last = answer.catch(() => undefined)
    return await answer
  }

  /** Resolves when the unit has no running statement left on the connection. */
  async idle(): Promise<void> {
    await this.last
    this.unit = null
  }

  private async runNow<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const { unit } = this
    assertInside(unit)
    try {
      return await runStatement<R>(this.client, sql, parameters)
    } catch (error) {
      unit.failure ??= { error }
      throw error
    }
  }
}
