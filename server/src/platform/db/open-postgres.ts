import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { Pool, types, type PoolClient } from 'pg'
import type { Logger } from 'pino'
import { connectionDialect } from './connection-dialect.ts'
import type { Database, Tx } from './database.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { isReplayable, toFault } from './postgres-errors.ts'
import type { Schema } from './schema.ts'

const int8 = 20
const numeric = 1700
const mostReplays = 50
const connectTimeoutMs = 10_000

interface PostgresOptions {
  readonly url: string
  readonly poolSize: number
  readonly log: Logger
}

/**
 * PostgreSQL: one pooled connection a unit, SERIALIZABLE, replayed when the server says that it
 * could not be serialized. Reads use the same pool, outside transactions.
 */
export function openPostgres({ url, poolSize, log }: PostgresOptions): Database {
  const pool = openPool(url, poolSize, log)
  const insideUnit = new AsyncLocalStorage<true>()
  const read = new Kysely<Schema>({
    dialect: connectionDialect(
      'postgres',
      async () => new PostgresConnection(await connect(pool)),
      async (connection) => {
        // Only the function above gives connections out.
        const { client } = connection as PostgresConnection
        client.release()
      },
    ),
  })
  return {
    engine: 'postgres',
    read,
    scan: read,
    write(unit) {
      if (insideUnit.getStore() === true)
        return Promise.reject(new Error('A unit of work must not begin another: pass it its tx'))
      return replayed((client) => insideUnit.run(true, () => runUnit(client, unit)), pool, log)
    },
    async ping() {
      const client = await connect(pool)
      await client.query('select 1').finally(() => client.release())
    },
    close: () => pool.end(),
  }
}

function openPool(connectionString: string, max: number, log: Logger): Pool {
  const pool = new Pool({
    connectionString,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    types: numbersAsNumbers,
  })
  // An idle client whose server went away must not end the process; the next query reconnects.
  pool.on('error', (error) => log.warn({ err: error }, 'a PostgreSQL connection was lost'))
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'a PostgreSQL client failed'))
  })
  return pool
}

/** int8 and numeric come as numbers: epoch milliseconds and counts stay below 2^53. */
const numbersAsNumbers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 || oid === numeric ? Number : types.getTypeParser(oid, format),
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toFault(error)
  }
}

async function replayed<T>(
  attempt: (client: PoolClient) => Promise<T>,
  pool: Pool,
  log: Logger,
): Promise<T> {
  for (let replays = 0; ; replays++) {
    const client = await connect(pool)
    try {
      const value = await attempt(client)
      client.release()
      return value
    } catch (error) {
      await giveBack(client, log)
      if (!isReplayable(error) || replays >= mostReplays) throw toFault(error)
    }
    // Jitter keeps rivals from meeting again at once.
    await sleep(Math.random() * Math.min(2 ** replays, 50))
  }
}

/** A connection that cannot even roll back is not given to the next unit. */
async function giveBack(client: PoolClient, log: Logger): Promise<void> {
  try {
    await client.query('rollback')
    client.release()
  } catch (error) {
    log.debug({ err: error }, 'a PostgreSQL connection is discarded')
    client.release(true)
  }
}

async function runUnit<T>(client: PoolClient, unit: (tx: Tx) => Promise<T>): Promise<T> {
  await client.query('begin isolation level serializable')
  const value = await unit(transactionOn(client))
  await client.query('commit')
  return value
}

const transactions = new WeakMap<PoolClient, Tx>()

function transactionOn(client: PoolClient): Tx {
  const known = transactions.get(client)
  if (known !== undefined) return known
  const connection = new PostgresConnection(client)
  const dialect = connectionDialect('postgres', async () => connection)
  // The unit's transaction is begun and ended by runUnit on this very connection.
  const tx = new Kysely<Schema>({ dialect }) as Tx
  transactions.set(client, tx)
  return tx
}
