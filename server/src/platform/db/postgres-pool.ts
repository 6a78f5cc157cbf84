import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import { pools } from '#kernel/tallies.ts'
import { numbersAsNumbers, postgresDriver } from './postgres-driver.ts'
import { hasStalePlan, postgresFault } from './postgres-errors.ts'

export const connectTimeoutMs = 10_000

interface PoolOptions {
  /** What it is for. */
  readonly name: string
  readonly url: string
  readonly size: number
  readonly log: Logger
  /** SQL that every new connection runs first. */
  readonly session?: string
}

/** A pool in which a lost connection does not end the process; the next query opens another. */
export function openPool({ name, url, size, log, session }: PoolOptions): Pool {
  const driver = postgresDriver()
  const pool = new driver.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'parley',
    keepAlive: true,
    types: numbersAsNumbers,
    ...(session === undefined
      ? {}
      : {
          // The pool awaits the promise that onConnect returns; its published type omits this.
          onConnect: (client): void => client.query(session) as unknown as void,
        }),
  })
  pools.set(name, pool)
  pool.on('error', (error) => log.warn({ err: error }, 'a PostgreSQL connection was lost'))
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'a PostgreSQL client failed'))
  })
  return pool
}

/** @throws Fault database_unavailable */
export async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw postgresFault(error)
  }
}

/** Returns a connection to the pool after `failure`, or discards it if it is no longer usable. */
export async function giveBack(client: PoolClient, failure: unknown, log: Logger): Promise<void> {
  if (hasStalePlan(failure)) return client.release(true)
  try {
    await client.query('rollback')
    client.release()
  } catch (error) {
    log.debug({ err: error }, 'a PostgreSQL connection was discarded')
    client.release(true)
  }
}
