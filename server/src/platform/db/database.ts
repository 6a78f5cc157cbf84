import type { Compilable, CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Caller } from './caller.ts'
import type { Schema } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'

/** A parameter that both engines accept. Bytes are returned as a Uint8Array. */
export type Value = string | number | bigint | null | Uint8Array

/** Reads only; on SQLite the connection is `query_only`. */
export type Reader = Pick<
  Kysely<Schema>,
  'selectFrom' | 'with' | 'executeQuery' | 'getExecutor' | 'fn'
>

/** The connection inside a unit of work. Functions that join a unit take it as first parameter. */
export type Tx = Transaction<Schema>

/**
 * One query that names its values. It is called once per database, with placeholders, so it must
 * neither inspect its values nor branch on them.
 */
export type Statement<Given, Row> = (
  db: Kysely<Schema>,
  given: Given,
) => Compilable<Row> | CompiledQuery<Row>

/** A statement that is compiled once; a call only binds its values. */
export interface Prepared<Given, Row> {
  /** Like `Database.read`; on PostgreSQL it runs together with other waiting reads: keep it short. */
  read(given: Given): Promise<Row[]>
  /**
   * Like `read`, for the first read of every request: calls with the same values may share their rows, so
   * nobody may change them. The rows are those of a read that began after the call: on SQLite they are
   * kept until a commit that may have changed them, on PostgreSQL calls that wait for the same batch share them.
   */
  readShared(given: Given): Promise<readonly Readonly<Row>[]>
  /** Runs within the caller's unit. */
  within(tx: Tx, given: Given): Promise<Row[]>
  /**
   * Like `within`, for a statement whose rows do not matter. On PostgreSQL it is sent with the next statement
   * of the transaction, or with its commit, so it takes no round trip; if it fails, the unit fails.
   */
  later(tx: Tx, given: Given): Promise<void>
  /**
   * Runs as a unit of its own, in one round trip on PostgreSQL: a statement with several common table
   * expressions stores a chat turn four times as fast as a unit of several statements.
   */
  write(given: Given): Promise<Row[]>
  /**
   * Like `write`, for the statements of every turn: on PostgreSQL it shares packet, transaction and
   * flush with other waiting statements, and runs at READ COMMITTED. It is correct only for a
   * statement that inserts new rows, or that finds a row by its key and changes it based on that row
   * alone: the row's lock orders competing calls, and each sees the result of the one before
   * (PostgreSQL, 13.2.1). A statement that depends on other rows, or on their absence, needs `write`.
   * If many calls change the same row, the statement's first value must identify it, because batches
   * lock rows in the order of that value.
   */
  writeByKey(given: Given): Promise<Row[]>
  /**
   * For `Database.writeAll`.
   *
   * @param orFail the message of an error if the statement returns no row
   */
  step(given: Given, orFail?: string): Step
}

/** A statement with its values. */
export interface Step {
  readonly sql: string
  readonly values: readonly Value[]
  /** The message of an error if the statement finds no row. */
  readonly orFail?: string | undefined
}

export interface WriteOptions {
  /**
   * `later`: `write` may resolve before the unit is flushed to disk. The unit is visible at once and
   * survives a killed process; a machine that stops may lose it, unless a later `write` has flushed
   * it too. Use it only for changes that no outside caller learns of before that later `write`.
   * PostgreSQL always flushes.
   */
  readonly flush?: 'later'
  /**
   * The unit stores what no caller sees until a later unit of the same operation shows it: the audit
   * log has an event of the later unit alone.
   */
  readonly isHidden?: true
  /**
   * The record that the unit changes, as any text. On PostgreSQL, units of a process that change the
   * same record run one after another, because at the same time they would conflict, and those that
   * wait share a transaction.
   */
  readonly record?: string | undefined
}

/**
 * The database port.
 *
 * `write` is the only transaction. A unit changes only the database, through its `tx`, and may run
 * more than once: it is replayed after a serialization failure, a deadlock or a failed group commit.
 * `write` resolves after the commit is on the disk. Inside a unit, `write` and `read` throw. A failed statement ends
 * the unit even if its error is caught. After a unit, its `tx` throws.
 *
 * Faults of every method: `unique_violation`, and `database_unavailable` when the database does not
 * answer; a write may then have been committed or not. Long reads: `read_timed_out`, `caller_left`,
 * `reads_busy`.
 */
export interface Database {
  readonly engine: Engine
  /** Short reads, with SQLite on the calling thread. */
  readonly read: Kysely<Schema>
  /**
   * Long reads (lists, figures, exports), in reader processes with SQLite: each has a deadline, ends when
   * its caller leaves (`forCaller`), and delays no other workspace (decision 43).
   */
  readonly scan: Kysely<Schema>
  /**
   * The same for lists, figures and exports that a caller sees and nothing depends on: on PostgreSQL, a
   * read replica may serve them, with rows up to `DATABASE_READ_MAX_LAG_MS` old. What this process has
   * changed in the workspace is among them.
   */
  readonly report: Kysely<Schema>
  /** Long reads that a chat turn waits for: no list and no job delays them. */
  readonly search: Kysely<Schema>
  /** Statements outside units that may take minutes, such as building an index: without a limit of time. */
  readonly maintain: Kysely<Schema>
  write<T>(unit: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * A unit of these statements, for the writes of every turn: on SQLite it runs without the promises
   * and checks that code needs, which take longer than a statement.
   */
  writeAll(steps: readonly Step[], options?: WriteOptions): Promise<void>
  /**
   * Runs `code` for a workspace: while units of several tenants wait, each gets an equal share of the
   * writer's time (SQLite) or of the connections for units (PostgreSQL). Everything outside shares one
   * turn.
   */
  forTenant<T>(tenant: string, code: () => T): T
  /**
   * Runs code for a caller, whose long reads end when its signal is aborted. Without a caller, reads have
   * the deadline of background work.
   */
  forCaller<T>(caller: Caller, code: () => T): T
  /**
   * Runs code that produces an answer for a caller outside the process, and resolves when everything
   * that it has read is on the disk. On SQLite a read can see a commit before its flush: a read outside
   * `answer` waits for that flush, inside only the answer does (decision 32).
   */
  answer<T>(code: () => Promise<T>): Promise<T>
  /** Within `answer`, runs code that sends the answer in parts, which ends with the last one. */
  answerInParts(code: () => Promise<void>): Promise<void>
  /**
   * For an answer that is sent in parts: null when the part may contain all that was read, else a
   * promise to await first.
   */
  readsFlushed(): Promise<void> | null
  /**
   * For the hot path, where compiling a query costs more than running it. The statement must be a
   * constant of its module, because it is recognised by identity.
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
  /** Finishes waiting statements, then refuses new ones. */
  close(): Promise<void>
}
