import type { Compilable, CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'

/** What both engines take as a parameter. Bytes come back as a Uint8Array. */
export type Value = string | number | bigint | null | Uint8Array

/** Reads only; on SQLite the connection is `query_only`. */
export type Reader = Pick<
  Kysely<Schema>,
  'selectFrom' | 'with' | 'executeQuery' | 'getExecutor' | 'fn'
>

/** The connection inside a unit of work. Steps take it as their first parameter. */
export type Tx = Transaction<Schema>

/**
 * One query, written with the names of its values in their place. It is called once per database,
 * with stand-ins: it must not look at what it is given, nor branch on it.
 */
export type Statement<Given, Row> = (
  db: Kysely<Schema>,
  given: Given,
) => Compilable<Row> | CompiledQuery<Row>

/** A statement that was compiled once; a call only binds its values. */
export interface Prepared<Given, Row> {
  /** As `Database.read`; on PostgreSQL together with others that wait, so it must be short. */
  read(given: Given): Promise<Row[]>
  /** Within the caller's unit. */
  within(tx: Tx, given: Given): Promise<Row[]>
  /**
   * As a unit of its own. On PostgreSQL that is one round trip: a statement with several common
   * table expressions stores a chat turn four times as fast as a unit of several statements.
   */
  write(given: Given): Promise<Row[]>
  /**
   * As `write`, for the statements of every turn: on PostgreSQL it shares packet, transaction and
   * flush with others that wait, and runs at READ COMMITTED. Right only for a statement that inserts
   * new rows, or finds a row by its key and changes it by what stands in that very row: the row's
   * lock then puts rivals in order, and each sees what the one before left (PostgreSQL, 13.2.1). What
   * rests on other rows, or on there being none, wants `write`. A row that many calls want at once
   * must be named by the statement's first value: batches take rows in the order of that.
   */
  writeByKey(given: Given): Promise<Row[]>
}

export interface WriteOptions {
  /**
   * `later`: `write` may resolve before the unit is flushed to disk. Everybody sees it, and a killed
   * process loses nothing of it; a machine that stops may lose it, unless another `write` came after,
   * which flushes it, too. For what nobody outside is told of before that other `write`.
   * On SQLite a flush is a third of what a lone turn takes; PostgreSQL's are shared as they are.
   */
  readonly flush?: 'later'
}

/**
 * The database port.
 *
 * `write` is the only transaction. A unit touches nothing but the database, through its `tx`, and
 * may run twice: it is replayed when the engine reports a serialization failure or a deadlock, and
 * when a group commit fails. `write` resolves after the commit. Inside a unit `write` and `read`
 * throw, a statement that failed ends the unit even if its error is caught, and after a unit its
 * `tx` throws.
 *
 * Faults of every method: `unique_violation`, and `database_unavailable` when the database does not
 * answer; then a write may or may not have been done.
 */
export interface Database {
  readonly engine: Engine
  /** Short reads, on the calling thread. */
  readonly read: Kysely<Schema>
  /** Reads that may take long (full text, analytics, exports): a worker thread on SQLite. */
  readonly scan: Kysely<Schema>
  write<T>(unit: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * For the hot path, where compiling a query costs more than running it. The statement is a
   * constant of its module: it is known by identity.
   *
   * @example
   * const agentOfKey = (db: Kysely<Schema>, given: { hash: string }) =>
   *   db.selectFrom('api_keys').select('agent_id').where('hash', '=', given.hash)
   *
   * const [row] = await ctx.db.prepared(agentOfKey).read({ hash })
   */
  prepared<Given extends { readonly [Name in keyof Given]: Value }, Row>(
    statement: Statement<Given, Row>,
  ): Prepared<Given, Row>
  /** Throws when the database does not answer. */
  ping(): Promise<void>
  /** Settles what waits, then refuses. */
  close(): Promise<void>
}
