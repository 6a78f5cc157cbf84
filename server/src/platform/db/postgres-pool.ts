import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import { postgresDriver } from './postgres-driver.ts'
import { hasStalePlan, postgresFault } from './postgres-errors.ts'
import { numbersAsNumbers } from './postgres-types.ts'

const connectTimeoutMs = 10_000

interface PoolOptions {
  readonly url: string
  readonly size: number
  readonly log: Logger
  /** What every new connection is told first. */
  readonly session?: string
}

/** A pool whose lost connections never end the process: the next query opens another. */
export function openPool({ url, size, log, session }: PoolOptions): Pool {
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
          // The pool waits for what onConnect gives; its published type does not say so.
          onConnect: (client): void => client.query(session) as unknown as void,
        }),
  })
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

/** Gives a connection back after `failure`; one that is of no use is not given to anyone again. */
export async function giveBack(client: PoolClient, failure: unknown, log: Logger): Promise<void> {
  if (hasStalePlan(failure)) return client.release(true)
  try {
    await client.query('rollback')
    client.release()
  } catch (error) {
    log.debug({ err: error }, 'a PostgreSQL connection is discarded')
    client.release(true)
  }
}
