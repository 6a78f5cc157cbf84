import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'

/** Reads only; on SQLite the connection is `query_only`. */
export type Reader = Pick<
  Kysely<Schema>,
  'selectFrom' | 'with' | 'executeQuery' | 'getExecutor' | 'fn'
>

/** The connection inside a unit of work. Steps take it as their first parameter. */
export type Tx = Transaction<Schema>

/**
 * The database port.
 *
 * `write` is the only transaction. A unit touches nothing but the database and may run twice:
 * it is replayed when the engine reports a serialization failure or a deadlock, and when a group
 * commit fails. `write` resolves after the commit. Calling `write` inside a unit throws.
 */
export interface Database {
  readonly engine: Engine
  /** Short reads, on the calling thread. */
  readonly read: Kysely<Schema>
  /** Reads that may take long (full text, analytics, exports): a worker thread on SQLite. */
  readonly scan: Kysely<Schema>
  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T>
  /** Throws when the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}
