import { Kysely, type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { connectionDialect } from './connection-dialect.ts'
import type { Database } from './database.ts'
import { batchSession, PostgresBatches } from './postgres-batches.ts'
import { hasStalePlan } from './postgres-errors.ts'
import { connect, openPool } from './postgres-pool.ts'
import { runStatement } from './postgres-statement.ts'
import { PostgresUnits, writingSession } from './postgres-units.ts'
import { prepareStatements } from './prepared-statements.ts'
import type { Schema } from './schema.ts'
import { nestedWrite, refuseInsideUnit, strayRead } from './unit.ts'

interface PostgresOptions {
  readonly url: string
  /** Connections in all, at least one of each of the three pools. */
  readonly poolSize: number
  readonly log: Logger
}

/** Batches on their way at once, of reads and of writes: while one is flushed the next is filled. */
const maxReading = 2
const maxWriting = 2

/**
 * PostgreSQL. Units, reads and the batches of every turn have pools of their own: units are
 * SERIALIZABLE by their session's default, the others take no part in that, and neither a unit nor
 * a turn ever waits behind a long read.
 */
export function openPostgres({ url, poolSize, log }: PostgresOptions): Database {
  const batching = Math.max(1, Math.min(maxReading + maxWriting, Math.floor(poolSize / 3)))
  const writing = Math.max(1, Math.ceil((poolSize - batching) / 2))
  const reader = Math.max(1, poolSize - batching - writing)
  const writers = openPool({ url, size: writing, log, session: writingSession })
  const readers = openPool({ url, size: reader, log })
  const batchers = openPool({ url, size: batching, log, session: batchSession })
  const units = new PostgresUnits(writers, log)
  const reading = new ReadConnection(readers)
  const read = new Kysely<Schema>({ dialect: connectionDialect('postgres', async () => reading) })
  const reads = new PostgresBatches({
    pool: batchers,
    maxRunning: maxReading,
    alone: async (sql, values) => (await reading.run(sql, values)).rows,
  })
  const writes = new PostgresBatches({
    pool: batchers,
    maxRunning: maxWriting,
    alone: (sql, values) => units.writeOne(sql, values),
  })
  return {
    engine: 'postgres',
    read,
    scan: read,
    write: (code) => units.write(code),
    prepared: prepareStatements(read, {
      read: (sql, values) => {
        refuseInsideUnit(strayRead)
        return reads.run(sql, values)
      },
      within: (tx, sql, values) => units.within(tx, sql, values),
      write: (sql, values) => units.writeOne(sql, values),
      writeByKey: (sql, values) => {
        refuseInsideUnit(nestedWrite)
        return writes.run(sql, values)
      },
    }),
    async ping() {
      await reading.run('select 1', [])
    },
    async close() {
      await Promise.all([reads.close(), writes.close()])
      await Promise.all([readers.end(), writers.end(), batchers.end()])
    },
  }
}

/** The readers' pool as Kysely sees it: a connection for each statement. */
class ReadConnection implements DatabaseConnection {
  private readonly pool: Pool

  constructor(pool: Pool) {
    this.pool = pool
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return await this.run(sql, parameters)
  }

  async run<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    refuseInsideUnit(strayRead)
    for (;;) {
      const client = await connect(this.pool)
      try {
        const result = await runStatement<R>(client, sql, parameters)
        client.release()
        return result
      } catch (error) {
        // The pool drops a lost connection by itself.
        client.release(hasStalePlan(error))
        if (!hasStalePlan(error)) throw error
        // Each retry discards one connection opened before the schema changed, and there are only a
        // few.
      }
    }
  }

  /** Exports page by key on PostgreSQL: a cursor would need a library of its own. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }
}
