import { DatabaseSync } from 'node:sqlite'
import type { Logger } from 'pino'
import type { Database, Value } from './database.ts'
import { GroupCommit } from './group-commit.ts'
import { kyselyOn, type Run } from './kysely-on.ts'
import { prepareStatements } from './prepared-statements.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import { ScanWorker } from './scan-worker-client.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { isBusy, isStorageLost } from './sqlite-errors.ts'
import { loadVectorFunctions } from './sqlite-vectors.ts'
import { forTenant } from './tenant.ts'
import { unchangedReads } from './unchanged-reads.ts'
import { refuseInsideUnit, strayRead } from './unit.ts'

const pragmas = [
  'pragma journal_mode = wal',
  // Every commit is durable; a group commit flushes once for all units that wait.
  'pragma synchronous = full',
  'pragma fullfsync = on',
  'pragma foreign_keys = on',
  'pragma temp_store = memory',
  'pragma cache_size = -16000',
  // Truncates the write-ahead log after a burst of writes.
  'pragma journal_size_limit = 67108864',
]

/** The embedded database: one writer with group commit, one reader, one worker for long reads. */
export function openSqlite({ file, log }: { file: string; log: Logger }): Database {
  const writer = new SqliteConnection(openServing(file))
  const reader = new SqliteConnection(openServing(file, { allowExtension: true }))
  reader.raw.exec('pragma query_only = on')
  loadVectorFunctions(reader.raw)
  const worker = new ScanWorker(file)
  const run: Run = async (sql, parameters) => {
    refuseInsideUnit(strayRead)
    return await retryWhileBusy(() => reader.run(sql, parameters))
  }
  const commits = new GroupCommit(writer, log)
  const read = kyselyOn('sqlite', run)
  const writeOne = (sql: string, values: readonly Value[]) =>
    commits.write(async () => commits.runStatement(sql, values).rows)
  return {
    engine: 'sqlite',
    read,
    scan: kyselyOn('sqlite', (sql, parameters) => worker.run(sql, parameters)),
    write: (code, options) => commits.write(code, options),
    forTenant,
    prepared: prepareStatements(read, {
      read: async (sql, values) => (await run(sql, values)).rows,
      readShared: unchangedReads(run),
      within: async (_, sql, values) => commits.runStatement(sql, values).rows,
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
 * Refreshes the query planner's statistics, unless another process is writing or the disk is full:
 * then the next close does it.
 */
function renewStatistics(raw: DatabaseSync): void {
  try {
    raw.exec('pragma optimize')
  } catch (error) {
    if (!isBusy(error) && !isStorageLost(error)) throw error
  }
}

/**
 * A connection of the running service. It waits for a lock asynchronously (`retryWhileBusy`), because
 * SQLite's busy timeout would block the event loop. The cache can be small, because turns read the
 * end of each table and the operating system caches the rest (decision 0011).
 */
function openServing(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const raw = openConnection(file, options)
  raw.exec('pragma busy_timeout = 0')
  raw.exec('pragma cache_size = -3000')
  return raw
}

interface ConnectionOptions {
  /** Needed by `loadVectorFunctions`, which then forbids extensions again. */
  readonly allowExtension?: boolean
}

/** A connection with our pragmas; it waits up to five seconds for another writer. */
export function openConnection(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const raw = new DatabaseSync(file, { timeout: 5_000, ...options })
  for (const pragma of pragmas) raw.exec(pragma)
  return raw
}
