import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { Fault } from '#kernel/fault.ts'
import type { Value } from '#platform/db/database.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { sqliteFault } from './sqlite-errors.ts'
import { loadVectorFunctions } from './sqlite-vectors.ts'

/** The program of a `ReaderProcess`: one read-only connection, one query at a time. */

export interface ReadQuery {
  readonly sql: string
  readonly parameters: readonly Value[]
}

export type ReadAnswer =
  | { readonly rows: readonly unknown[] }
  | { readonly message: string; readonly isUnavailable: boolean }

const [file = '', niceness = '0'] = process.argv.slice(2)
let connection: SqliteConnection | null = null

if (process.send !== undefined) {
  setPriority(Number(niceness))
  process.on('message', (query: ReadQuery) => process.send?.(answer(query)))
  process.on('disconnect', () => process.exit())
}

function answer({ sql, parameters }: ReadQuery): ReadAnswer {
  try {
    connection ??= connect()
    return { rows: connection.run(sql, parameters).rows }
  } catch (thrown) {
    const error = sqliteFault(thrown)
    const cause = error instanceof Fault ? error.cause : error
    const message = cause instanceof Error ? cause.message : String(cause)
    return { message, isUnavailable: error instanceof Fault }
  }
}

/** The vector blocks of 250,000 chunks of 384 dimensions. They are freed with the process, when it is idle. */
const maxCachedBytes = 16 * 1024 * 1024

function connect(): SqliteConnection {
  // This process does nothing else, so it may block inside SQLite while another process writes.
  const raw = new DatabaseSync(file, { readOnly: true, timeout: 5_000, allowExtension: true })
  raw.exec('pragma cache_size = -16000')
  loadVectorFunctions(raw, maxCachedBytes)
  return new SqliteConnection(raw)
}
