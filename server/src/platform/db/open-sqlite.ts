import { DatabaseSync } from 'node:sqlite'
import { Kysely, type DatabaseConnection } from 'kysely'
import type { Logger } from 'pino'
import { connectionDialect } from './connection-dialect.ts'
import type { Database, Tx, Value } from './database.ts'
import { GroupCommit } from './group-commit.ts'
import { prepareStatements } from './prepared-statements.ts'
import { ScanWorker } from './scan-worker-client.ts'
import type { Schema } from './schema.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { isBusy, isStorageLost } from './sqlite-errors.ts'
import { ReadConnection, UnitConnection } from './sqlite-kysely-connections.ts'
import { loadVectorFunctions } from './sqlite-vectors.ts'

const pragmas = [
  'pragma journal_mode = wal',
  // Durable at every commit; group commit pays for it once for all units that wait.
  'pragma synchronous = full',
  'pragma fullfsync = on',
  'pragma foreign_keys = on',
  'pragma temp_store = memory',
  'pragma cache_size = -16000',
  // Truncates a write-ahead log that a burst of writes has grown.
  'pragma journal_size_limit = 67108864',
]

/** The embedded database: one writer with group commit, one reader, one worker for long reads. */
export function openSqlite({ file, log }: { file: string; log: Logger }): Database {
  const writer = new SqliteConnection(openServing(file))
  const reader = new SqliteConnection(openServing(file, { allowExtension: true }))
  reader.raw.exec('pragma query_only = on')
  loadVectorFunctions(reader.raw)
  const worker = new ScanWorker(file)
  const reading = new ReadConnection(reader)
  const unit = new UnitConnection(writer, () => commits)
  // Units of work are begun and ended by GroupCommit on this very connection.
  const tx = kyselyOn(unit) as Tx
  const commits = new GroupCommit(writer, tx, log)
  const read = kyselyOn(reading)
  const writeOne = (sql: string, values: readonly Value[]) =>
    commits.write(async () => unit.run(sql, values).rows)
  return {
    engine: 'sqlite',
    read,
    scan: kyselyOn(worker),
    write: (code, options) => commits.write(code, options),
    prepared: prepareStatements(read, {
      read: async (sql, values) => (await reading.run(sql, values)).rows,
      within: async (_, sql, values) => unit.run(sql, values).rows,
      write: writeOne,
      writeByKey: writeOne,
    }),
    async ping() {
      reader.run('select 1', [])
    },
    async close() {
      await commits.close()
      await worker.close()
      reader.raw.close()
      renewStatistics(writer.raw)
      writer.raw.close()
    },
  }
}

/**
 * Refreshes the query planner's statistics. When another process is writing or the disk is full
 * they stay as they are until the next close.
 */
function renewStatistics(raw: DatabaseSync): void {
  try {
    raw.exec('pragma optimize')
  } catch (error) {
    if (!isBusy(error) && !isStorageLost(error)) throw error
  }
}

/**
 * Waiting for a lock is asynchronous (`retryWhileBusy`): SQLite's own busy timeout would block the
 * event loop. The cache can be small, because turns read the end of each table and the operating
 * system caches the rest (decision 0011).
 */
function openServing(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const raw = openConnection(file, options)
  raw.exec('pragma busy_timeout = 0')
  raw.exec('pragma cache_size = -3000')
  return raw
}

interface ConnectionOptions {
  /** Allows `loadVectorFunctions`, which forbids extensions again once it is done. */
  readonly allowExtension?: boolean
}

/** A connection as every one of ours is set; it waits up to five seconds for another writer. */
export function openConnection(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const raw = new DatabaseSync(file, { timeout: 5_000, ...options })
  for (const pragma of pragmas) raw.exec(pragma)
  return raw
}

function kyselyOn(connection: DatabaseConnection): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: connectionDialect('sqlite', async () => connection) })
}
