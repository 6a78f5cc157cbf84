import type { QueryResult } from 'kysely'
import type { ClientBase, Connection } from 'pg'
import type { Value } from '#platform/db/database.ts'
import { bindable } from '#platform/db/parameters.ts'
import { numbersAsNumbers } from './postgres-driver.ts'
import { postgresFault } from './postgres-errors.ts'
import { sessionName } from './postgres-statement.ts'
import { noteDuration } from '#platform/db/slow-statements.ts'

/** One statement of a batch, and the array that receives its rows. */
export interface BatchedStatement {
  readonly sql: string
  readonly values: readonly Value[]
  readonly rows: Record<string, unknown>[]
  /** If there is one, it receives what the server says at the end of the statement, such as `UPDATE 3`. */
  tag?: string
}

/** What is known about a statement that a connection has prepared. */
interface Kept {
  readonly name: string
  /** Null until the server has described its rows. */
  columns: readonly Column[] | null
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

const keptOn = new WeakMap<Connection, Map<string, Kept>>()
/** The server keeps a plan for each; further statements are parsed each time. */
const maxKept = 1_000
let names = 0

/**
 * Several statements sent in one packet, with one Sync at the end: the server runs them as one
 * transaction, commits it at the Sync and then answers all of them (PostgreSQL, 54.2.4 Pipelining).
 * Each statement is parsed and described once per connection, so later calls send only values.
 *
 * Pass it to `Client.query`, which accepts any object with a `submit` method and calls its handlers
 * with the server's messages, as it does for pg-cursor and pg-query-stream.
 */
export class PostgresBatch {
  private readonly statements: readonly BatchedStatement[]
  private readonly settle = Promise.withResolvers<void>()
  /** Resolves after the commit; rejects with the error of the server or the socket. */
  readonly done = this.settle.promise
  private readonly kept: Kept[] = []
  private answered = 0
  private readonly isNamed: boolean
  private unreadable: { readonly error: unknown } | null = null
  /** Called when the server has answered. */
  private forgetUnparsed: () => void = () => undefined

  /** @param isNamed false behind a transaction pooler, which may use another session each time */
  constructor(statements: readonly BatchedStatement[], isNamed: boolean) {
    this.statements = statements
    this.isNamed = isNamed
  }

  submit(connection: Connection): void {
    const known = keptOn.get(connection) ?? new Map<string, Kept>()
    keptOn.set(connection, known)
    const parsing: string[] = []
    connection.stream.cork()
    try {
      for (const { sql, values } of this.statements) {
        let kept = known.get(sql)
        if (kept === undefined) {
          parsing.push(sql)
          const isKept = this.isNamed && known.size < maxKept
          kept = isKept ? keep(connection, known, sql) : parse(connection, '', sql)
        }
        this.kept.push(kept)
        connection.bind({ statement: kept.name, values: values.map(toWire) }, true)
        if (kept.columns === null) connection.describe({ type: 'P' }, true)
        connection.execute(null, true)
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    if (parsing.length > 0) this.watchParsing(connection, known, parsing)
  }

  /** After an error, the server ignores the rest of a packet, so some statements may not be prepared. */
  private watchParsing(connection: Connection, known: Map<string, Kept>, parsing: string[]): void {
    const noteParsed = () => void parsing.shift()
    connection.on('parseComplete', noteParsed)
    this.forgetUnparsed = () => {
      connection.off('parseComplete', noteParsed)
      for (const sql of parsing) known.delete(sql)
    }
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }) {
    const kept = this.kept[this.answered]
    if (kept !== undefined)
      kept.columns = fields.map(({ name, dataTypeID }) => {
        return { name, parse: numbersAsNumbers.getTypeParser(dataTypeID, 'text') }
      })
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    try {
      const columns = this.kept[this.answered]?.columns ?? []
      for (const [index, { name, parse: read }] of columns.entries()) {
        const text = fields[index]
        row[name] = text === null || text === undefined ? null : read(text)
      }
    } catch (error) {
      // Throwing here, inside a socket event, would end the process.
      this.unreadable ??= { error }
    }
    this.statements[this.answered]?.rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const kept = this.kept[this.answered]
    if (kept !== undefined) kept.columns ??= []
    const statement = this.statements[this.answered]
    if (statement?.tag !== undefined) statement.tag = text
    this.answered += 1
  }

  handleReadyForQuery(): void {
    this.forgetUnparsed()
    if (this.unreadable === null) this.settle.resolve()
    else this.settle.reject(this.unreadable.error)
  }

  handleError(error: unknown): void {
    this.forgetUnparsed()
    this.settle.reject(error)
  }
}

/**
 * Runs a statement that only reads in one packet with the one that sets its limits, which end with it.
 *
 * @throws Fault as `postgresFault` returns it
 */
export async function runLimited<R>(
  client: ClientBase,
  settings: string,
  sql: string,
  parameters: readonly unknown[],
): Promise<QueryResult<R>> {
  const rows: Record<string, unknown>[] = []
  const limited = { sql, values: bindable(parameters), rows }
  const began = performance.now()
  try {
    await client.query(new PostgresBatch([{ sql: settings, values: [], rows: [] }, limited], false))
      .done
    // The caller knows the rows of its statement.
    return { rows: rows as R[] }
  } catch (error) {
    throw postgresFault(error)
  } finally {
    noteDuration(sql, began)
  }
}

function keep(connection: Connection, known: Map<string, Kept>, sql: string): Kept {
  const kept = parse(connection, `${sessionName(connection)}_batch_${(names += 1)}`, sql)
  known.set(sql, kept)
  return kept
}

function parse(connection: Connection, name: string, sql: string): Kept {
  connection.parse({ name, text: sql, types: [] }, true)
  return { name, columns: null }
}

/** Bytes are sent as they are, other values as text: the server knows its parameters' types. */
function toWire(value: Value): string | Buffer | null {
  if (value === null || typeof value === 'string') return value
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : String(value)
}
