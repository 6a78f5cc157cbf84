import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, ClientConfig, Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { QueryResult } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pools } from '#kernel/tallies.ts'
import { runLimited } from './postgres-batch.ts'
import { cancelStatement } from './postgres-cancel.ts'
import { numbersAsNumbers, postgresDriver } from './postgres-driver.ts'
import { hasStalePlan, isRefusedConnection, postgresFault } from './postgres-errors.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import { forTransaction, readSettings } from './postgres-settings.ts'
import { runStatement } from './postgres-statement.ts'
import type { PostgresWatch } from './postgres-watch.ts'

interface PoolOptions {
  /** What it is for. */
  readonly name: string
  readonly url: string
  readonly size: number
  readonly limits: PostgresLimits
  readonly log: Logger
  readonly watch: PostgresWatch
  /** Called when the pool has no connection and the server refuses one. */
  askForOne(): void
  /** SQL that every new connection runs first. Behind a pooler, none may: another client would inherit it. */
  readonly session: string
}

/** How soon a process without a connection tries again. */
const retryMs = 100
/** How long a pool that the server refused a connection stays smaller. */
const smallerMs = 5_000
/** How long the reads that run may take when the database closes. */
export const lastReadsMs = 2_000

/** How a client connects, in a pool or alone. */
export function clientConfig(url: string, limits: PostgresLimits): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: limits.databaseConnectTimeoutMs,
    application_name: 'parley',
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.databaseKeepAliveMs,
    types: numbersAsNumbers,
  }
}

/**
 * Connections to PostgreSQL. A lost one does not end the process; the next statement opens another.
 * When the server refuses a further connection, callers wait for one that the pool has.
 */
export class PostgresPool {
  readonly #options: PoolOptions
  readonly #pool: Pool
  /** Also those that are still connecting. */
  readonly #clients = new Set<Client>()
  #smallerUntil = 0
  #isSurrendering = false

  constructor(options: PoolOptions) {
    this.#options = options
    const { url, size, limits, log, session } = options
    const driver = postgresDriver()
    const config = clientConfig(url, limits)
    const clients = this.#clients
    class TrackedClient extends driver.Client {
      constructor() {
        super(config)
        clients.add(this)
        this.once('end', () => clients.delete(this))
      }
    }
    this.#pool = new driver.Pool({
      Client: TrackedClient,
      max: size,
      ...(limits.databasePooler === 'none' && {
        // The pool awaits the promise that onConnect returns; its published type omits this.
        onConnect: (client): void => client.query(session) as unknown as void,
      }),
    })
    pools.set(options.name, this.#pool)
    // The statement that was running reports the loss, and the watch an outage.
    this.#pool.on('error', (err) => log.debug({ err }, 'a PostgreSQL connection was lost'))
    this.#pool.on('connect', (client) => {
      client.on('error', (err) => log.debug({ err }, 'a PostgreSQL client failed'))
    })
  }

  /** @throws Fault database_unavailable */
  async connect(): Promise<PoolClient> {
    const { databaseMaxWaiting, databaseWaitTimeoutMs } = this.#options.limits
    if (this.#pool.waitingCount >= databaseMaxWaiting)
      throw unavailable(new Error('too many statements wait for a connection to PostgreSQL'))
    this.#grow()
    // Free now: there is no wait to bound. An outage has closed all connections.
    if (this.#pool.idleCount > this.#pool.waitingCount) return await this.#pool.connect()
    const deadline = performance.now() + databaseWaitTimeoutMs
    for (;;) {
      const leftMs = deadline - performance.now()
      try {
        return await this.#options.watch.wait(
          leftMs,
          () => this.#pool.connect(),
          (client) => client.release(),
        )
      } catch (error) {
        if (!isRefusedConnection(error) || leftMs <= retryMs) throw postgresFault(error)
        this.#shrink(error)
        if (this.#pool.totalCount === 0) this.#options.askForOne()
        if (this.#pool.totalCount === 0) await sleep(retryMs * (1 + Math.random()))
      }
    }
  }

  /** Whether a connection keeps the statements that it has prepared. */
  get keepsStatements(): boolean {
    return this.#options.limits.databasePooler === 'none'
  }

  /** Runs one question on a connection, within the limits of the watch. */
  async ask<T>(client: PoolClient, question: () => Promise<T>): Promise<T> {
    return await this.#options.watch.ask(client, question)
  }

  /** @throws Fault as `postgresFault` returns it */
  async run<R>(
    client: PoolClient,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<R>> {
    return await this.ask(client, () =>
      runStatement<R>(client, sql, parameters, this.keepsStatements),
    )
  }

  /**
   * The same for a statement outside units that only reads. Behind a pooler, its limits are sent with it.
   *
   * @throws Fault as `postgresFault` returns it
   */
  async read<R>(
    client: PoolClient,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<R>> {
    const { limits } = this.#options
    if (this.keepsStatements) return await this.run(client, sql, parameters)
    const settings = forTransaction(readSettings(limits))
    return await this.ask(client, () => runLimited<R>(client, settings, sql, parameters))
  }

  /** Returns a connection to the pool after `failure`, or discards it if it is no longer usable. */
  async giveBack(client: PoolClient, failure: unknown): Promise<void> {
    if (hasStalePlan(failure)) return client.release(true)
    try {
      await this.ask(client, () => client.query('rollback'))
      client.release()
    } catch (error) {
      this.#options.log.debug({ err: error }, 'a PostgreSQL connection was discarded')
      client.release(true)
    }
  }

  /** Closes every connection at once: the server does not answer. */
  disconnect(): void {
    for (const { connection } of this.#clients) connection.stream.destroy()
  }

  /** Waits for the statements that run, and cancels them after `patienceMs` if it is given. */
  async end(patienceMs?: number): Promise<void> {
    let stops: (() => void)[] = []
    const cancelAll = () => (stops = [...this.#clients].map((client) => cancelStatement(client)))
    const timer = patienceMs === undefined ? undefined : setTimeout(cancelAll, patienceMs)
    await this.#pool.end()
    clearTimeout(timer)
    for (const stop of stops) stop()
  }

  /**
   * Closes a connection as soon as one is free, so that another pool can open one.
   *
   * @returns false when this is the only one
   */
  surrender(): boolean {
    const { totalCount, options } = this.#pool
    if (totalCount <= 1) return false
    if (this.#isSurrendering) return true
    this.#isSurrendering = true
    this.#smallerUntil = performance.now() + smallerMs
    options.max = totalCount - 1
    void this.#closeOne().finally(() => {
      this.#isSurrendering = false
    })
    return true
  }

  async #closeOne(): Promise<void> {
    try {
      const client = await this.#pool.connect()
      client.release(true)
    } catch (error) {
      // Then the pool has lost one anyway.
      this.#options.log.debug({ err: error }, 'a PostgreSQL connection could not be passed on')
    }
  }

  /** Further callers wait for the connections that the pool has. */
  #shrink(error: unknown): void {
    const { options, totalCount } = this.#pool
    if (performance.now() >= this.#smallerUntil)
      this.#options.log.warn(
        { err: error, connections: totalCount },
        'PostgreSQL refuses a further connection: requests wait for the others. Lower DATABASE_POOL_SIZE, or raise max_connections',
      )
    this.#smallerUntil = performance.now() + smallerMs
    options.max = Math.max(1, totalCount)
  }

  #grow(): void {
    const { options } = this.#pool
    if (options.max >= this.#options.size || performance.now() < this.#smallerUntil) return
    options.max += 1
  }
}

function unavailable(cause: unknown): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause })
}
