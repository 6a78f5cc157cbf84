import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'
import type { Step, Tx, Value } from '#platform/db/database.ts'
import { isReplayable, postgresFault } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { beginUnit } from './postgres-settings.ts'
import { UnitConnection, type UnitCode } from './unit-connection.ts'
import { currentTenant } from '#platform/db/tenant.ts'
import { nestedWrite, refuseInsideUnit } from '#platform/db/unit.ts'

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
  readonly begin: readonly string[] | null
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
  private readonly begin: readonly string[] | null
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

  /** Runs units one after another in one transaction. If one fails, all are rolled back. */
  async writeTogether<T>(units: readonly UnitCode<T>[]): Promise<readonly T[]> {
    return await this.replayed((client, rank) => this.runUnits(client, units, rank))
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
    return (await this.ownConnection(tx).run(sql, values)).rows
  }

  /** Throws at once if the unit has ended. */
  later(tx: Tx, sql: string, values: readonly Value[]): void {
    this.ownConnection(tx).runLater(sql, values)
  }

  private ownConnection(tx: Tx): UnitConnection {
    const connection = this.connectionOf.get(tx)
    if (connection === undefined) throw new Error('The tx belongs to another database')
    return connection
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
    run: (tx: Tx) => Promise<T>,
    rank: Rank,
  ): Promise<T> {
    const [value] = await this.runUnits(client, [{ run, within: (call) => call() }], rank)
    // A unit that ends without an error has a value.
    return value as T
  }

  private async runUnits<T>(
    client: PoolClient,
    units: readonly UnitCode<T>[],
    rank: Rank,
  ): Promise<readonly T[]> {
    const connection = this.connectionOn(client)
    const lock = `lock table meta in ${lockModes[rank]} mode`
    connection.begin([...(this.begin ?? beginUnit()), lock])
    const values: T[] = []
    for (const unit of units) values.push(await connection.runUnit(unit))
    await connection.commit()
    return values
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
