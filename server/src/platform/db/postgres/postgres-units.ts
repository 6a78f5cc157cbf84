import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'
import type { Step, Tx, Value } from '#platform/db/database.ts'
import { kyselyOn } from '#platform/db/kysely-on.ts'
import { isReplayable, postgresFault } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { beginUnit } from './postgres-settings.ts'
import { currentTenant } from '#platform/db/tenant.ts'
import { assertInside, nestedWrite, refuseInsideUnit, runInUnit, Unit } from '#platform/db/unit.ts'

/** Attempts beside all other units; later ones take turns. */
const freeAttempts = 3
/** Attempts among units that take turns; later ones run alone. */
const turnAttempts = 5
const maxAttempts = 20
const maxPauseMs = 50

/**
 * The lock that a unit begins with, on a table whose rows nobody locks. A unit `inTurn` excludes only
 * others in turn, a unit `alone` all units of all processes, until its transaction ends. An advisory
 * lock would come too late: the statement that waits for it has fixed what the transaction sees. This
 * one has not (PostgreSQL, LOCK).
 */
const lockModes = {
  free: 'row share',
  inTurn: 'share update exclusive',
  alone: 'exclusive',
} as const
type Rank = keyof typeof lockModes

interface UnitsOptions {
  readonly pool: PostgresPool
  /** One for each connection. */
  readonly slots: FairSlots
  /** One slot, for the unit of this process that takes its turn. */
  readonly turns: FairSlots
  /** The start of a unit; null where each connection has its settings. */
  readonly begin: string | null
}

type Attempt<T> = (client: PoolClient, rank: Rank) => Promise<T>

/**
 * SERIALIZABLE units of work, replayed when the server could not serialize them. Many writers of one
 * row would replay each other's work without end, and a long unit would lose to short ones each time:
 * so a unit that fails several times takes turns with others like it, and at last runs alone.
 */
export class PostgresUnits {
  private readonly pool: PostgresPool
  private readonly slots: FairSlots
  private readonly turns: FairSlots
  private readonly begin: string | null
  private readonly connections = new WeakMap<PoolClient, UnitConnection>()
  private readonly connectionOf = new WeakMap<Tx, UnitConnection>()

  constructor({ pool, slots, turns, begin }: UnitsOptions) {
    this.pool = pool
    this.slots = slots
    this.turns = turns
    this.begin = begin
  }

  async write<T>(code: (tx: Tx) => Promise<T>): Promise<T> {
    return await this.replayed((client, rank) => this.runUnit(client, code, rank))
  }

  /** Runs one statement as a unit: if the connection has the settings, in one round trip. */
  async writeOne(sql: string, values: readonly Value[]): Promise<readonly unknown[]> {
    const within = (tx: Tx) => this.within(tx, sql, values)
    return await this.replayed(async (client, rank) => {
      if (rank !== 'free' || this.begin !== null) return await this.runUnit(client, within, rank)
      return (await this.pool.run(client, sql, values)).rows
    })
  }

  async within(tx: Tx, sql: string, values: readonly Value[]): Promise<readonly unknown[]> {
    const connection = this.connectionOf.get(tx)
    if (connection === undefined) throw new Error('The tx belongs to another database')
    return (await connection.run(sql, values)).rows
  }

  async runAll(tx: Tx, steps: readonly Step[]): Promise<void> {
    for (const { sql, values, orFail } of steps) {
      const rows = await this.within(tx, sql, values)
      if (orFail !== undefined && rows.length === 0) throw new Error(orFail)
    }
  }

  private async replayed<T>(attempt: Attempt<T>): Promise<T> {
    refuseInsideUnit(nestedWrite)
    for (let attempts = 0; attempts < freeAttempts; attempts++) {
      const outcome = await this.attempted(attempt, 'free')
      if ('value' in outcome) return outcome.value
      // Jitter keeps competing units from colliding again at once.
      await sleep(Math.random() * 2 ** attempts)
    }
    const endTurn = await this.turns.acquire(currentTenant()).catch(unavailable)
    try {
      return await this.replayedInTurn(attempt)
    } finally {
      endTurn()
    }
  }

  /** @throws Fault write_conflict */
  private async replayedInTurn<T>(attempt: Attempt<T>): Promise<T> {
    let cause: unknown
    for (let attempts = 0; attempts < maxAttempts; attempts++) {
      const outcome = await this.attempted(attempt, attempts < turnAttempts ? 'inTurn' : 'alone')
      if ('value' in outcome) return outcome.value
      cause = outcome.error
      await sleep(Math.random() * maxPauseMs)
    }
    throw new Fault(commonFaults.write_conflict, { retryAfterSeconds: 1 }, { cause })
  }

  /** @returns the value, or an error after which the unit can be replayed */
  private async attempted<T>(
    attempt: Attempt<T>,
    rank: Rank,
  ): Promise<{ readonly value: T } | { readonly error: unknown }> {
    const since = performance.now()
    const freeSlot = await this.slots.acquire(currentTenant()).catch(unavailable)
    tallies.writeWait.add(performance.now() - since)
    try {
      const client = await this.pool.connect()
      try {
        const value = await attempt(client, rank)
        client.release()
        return { value }
      } catch (error) {
        await this.pool.giveBack(client, error)
        if (!isReplayable(error)) throw postgresFault(error)
        return { error }
      }
    } finally {
      freeSlot()
    }
  }

  private async runUnit<T>(
    client: PoolClient,
    code: (tx: Tx) => Promise<T>,
    rank: Rank,
  ): Promise<T> {
    const connection = this.connectionOn(client)
    const unit = new Unit()
    const opening = `${this.begin ?? beginUnit()};lock table meta in ${lockModes[rank]} mode`
    await this.pool.ask(client, () => client.query(opening))
    connection.unit = unit
    try {
      const value = await runInUnit(unit, () => code(connection.tx))
      const began = performance.now()
      await this.pool.ask(client, () => client.query('commit'))
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
    const connection = new UnitConnection(client, this.pool)
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
  private readonly pool: PostgresPool
  private last: Promise<unknown> = Promise.resolve()

  constructor(client: PoolClient, pool: PostgresPool) {
    this.client = client
    this.pool = pool
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
      return await this.pool.run<R>(this.client, sql, parameters)
    } catch (error) {
      unit.failure ??= { error }
      throw error
    }
  }
}
