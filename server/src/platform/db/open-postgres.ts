import { Kysely, type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { connectionDialect } from './connection-dialect.ts'
import type { Database } from './database.ts'
import { hasStalePlan } from './postgres-errors.ts'
import { connect, openPool } from './postgres-pool.ts'
import { runStatement } from './postgres-statement.ts'
import { PostgresUnits, writingSession } from './postgres-units.ts'
import { prepareStatements } from './prepared-statements.ts'
import type { Schema } from './schema.ts'
import { refuseInsideUnit, strayRead } from './unit.ts'

interface PostgresOptions {
  readonly url: string
  /** Connections in all: half read, half write, at least one of each. */
  readonly poolSize: number
  readonly log: Logger
}

/**
 * PostgreSQL. Reads and writes have pools of their own: writes are SERIALIZABLE by their session's
 * default, reads take no part in that, and a unit never waits behind a long read.
 */
export function openPostgres({ url, poolSize, log }: PostgresOptions): Database {
  const writing = Math.max(1, Math.ceil(poolSize / 2))
  const writers = openPool({ url, size: writing, log, session: writingSession })
  const readers = openPool({ url, size: Math.max(1, poolSize - writing), log })
  const units = new PostgresUnits(writers, log)
  const reading = new ReadingPlace(readers)
  const read = new Kysely<Schema>({ dialect: connectionDialect('postgres', async () => reading) })
  return {
    engine: 'postgres',
    read,
    scan: read,
    write: (code) => units.write(code),
    prepared: prepareStatements(read, {
      read: async (sql, values) => (await reading.run(sql, values)).rows,
      within: (tx, sql, values) => units.within(tx, sql, values),
      write: (sql, values) => units.writeOne(sql, values),
    }),
    async ping() {
      await reading.run('select 1', [])
    },
    async close() {
      await Promise.all([readers.end(), writers.end()])
    },
  }
}

/** The readers' pool as Kysely sees it: a connection for each statement. */
class ReadingPlace implements DatabaseConnection {
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
        // The pool itself drops a connection that was lost.
        client.release(hasStalePlan(error))
        if (!hasStalePlan(error)) throw error
        // Every turn ends a connection that is older than the change, so there are few.
      }
    }
  }

  /** Exports page by key on PostgreSQL: a cursor would need a library of its own. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }
}
