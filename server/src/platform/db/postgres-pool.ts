import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import { postgresDriver } from './postgres-driver.ts'
import { hasStalePlan, postgresFault } from './postgres-errors.ts'

const int8 = 20
const int8Array = 1016
const int4Array = 1007
const numeric = 1700
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

/** int8 and numeric come as numbers: epoch milliseconds and counts stay below 2^53. */
const numbersAsNumbers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8 || oid === numeric) return Number
    // An array of int4 is parsed to numbers already; one of int8 has the same text.
    return postgresDriver().types.getTypeParser(oid === int8Array ? int4Array : oid, format)
  },
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
