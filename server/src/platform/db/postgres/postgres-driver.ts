import { createRequire } from 'node:module'
import type * as pg from 'pg'
import { postgresFault } from './postgres-errors.ts'
import { defaultPostgresLimits } from './postgres-limits.ts'

const require = createRequire(import.meta.url)

/** Loads `pg` when PostgreSQL is first used, which saves a service on SQLite 10 MB of memory. */
export function postgresDriver(): typeof pg {
  // The package itself types what it exports.
  return require('pg') as typeof pg
}

/**
 * Opens a connection for `use` and closes it afterwards, which rolls back a transaction that is
 * still open.
 *
 * @throws Fault as `postgresFault` returns it
 */
export async function withClient<T>(
  config: pg.ClientConfig,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const driver = postgresDriver()
  const { databaseConnectTimeoutMs, databaseKeepAliveMs } = defaultPostgresLimits
  const client = new driver.Client({
    connectionTimeoutMillis: databaseConnectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: databaseKeepAliveMs,
    ...config,
  })
  // The running statement rejects with the error of a lost connection; without a listener that
  // error would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await use(client)
  } catch (error) {
    throw postgresFault(error)
  } finally {
    await client.end()
  }
}

const int8 = 20
const int8Array = 1016
const int4Array = 1007
const numeric = 1700

/** Parses int8 and numeric as numbers: epoch milliseconds and counts stay below 2^53. */
export const numbersAsNumbers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8 || oid === numeric) return Number
    // The parser of int4 arrays returns numbers, and int8 arrays are written in the same way.
    return postgresDriver().types.getTypeParser(oid === int8Array ? int4Array : oid, format)
  },
}
