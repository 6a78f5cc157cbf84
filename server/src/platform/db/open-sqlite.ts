import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { connectionDialect } from './connection-dialect.ts'
import type { Database, Tx } from './database.ts'
import { GroupCommit } from './group-commit.ts'
import { ScanWorker } from './scan-worker-client.ts'
import type { Schema } from './schema.ts'
import { SqliteConnection } from './sqlite-connection.ts'

const pragmas = [
  'pragma journal_mode = wal',
  // Durable at every commit; group commit pays for it once for all units that wait.
  'pragma synchronous = full',
  'pragma fullfsync = on',
  'pragma foreign_keys = on',
  // Waiting is asynchronous (GroupCommit): a busy timeout would hold the event loop.
  'pragma busy_timeout = 0',
  'pragma temp_store = memory',
  'pragma cache_size = -16000',
]

/** The embedded database: one writer with group commit, one reader, one worker for long reads. */
export function openSqlite({ file, log }: { file: string; log: Logger }): Database {
  const writer = new SqliteConnection(openConnection(file))
  const reader = new SqliteConnection(openConnection(file))
  reader.raw.exec('pragma query_only = on')
  const worker = new ScanWorker(file)
  const onWriter = kyselyOn(writer)
  // Units of work are begun and ended by GroupCommit on this very connection.
  const commits = new GroupCommit(writer, onWriter as Tx, log)
  const read = kyselyOn(reader)
  return {
    engine: 'sqlite',
    read,
    scan: new Kysely<Schema>({ dialect: connectionDialect('sqlite', async () => worker) }),
    write: (unit) => commits.write(unit),
    async ping() {
      reader.run('select 1', [])
    },
    async close() {
      await commits.settle()
      await worker.close()
      reader.raw.close()
      writer.raw.exec('pragma optimize')
      writer.raw.close()
    },
  }
}

export function openConnection(file: string): DatabaseSync {
  const raw = new DatabaseSync(file, { timeout: 5_000 })
  for (const pragma of pragmas) raw.exec(pragma)
  return raw
}

function kyselyOn(connection: SqliteConnection): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: connectionDialect('sqlite', async () => connection) })
}
