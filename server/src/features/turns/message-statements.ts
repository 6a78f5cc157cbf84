import type { Compilable, Kysely } from 'kysely'
import type { Value } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { MessageRow } from './turn-columns.ts'

/** The columns of a message that is not an answer; the others are null. */
export const questionColumns = [
  'session_id',
  'seq',
  'id',
  'role',
  'content',
  'parts_json',
  'calls_json',
  'correlation_id',
  'created_at',
] as const satisfies readonly (keyof MessageRow)[]

/** A message that is not an answer. */
export type QuestionRow = Pick<MessageRow, (typeof questionColumns)[number]>

/** How many messages one statement stores at most; each number of messages has statements of its own. */
export const maxMessagesAtOnce = 16

/** What a statement that stores messages is built for. */
export interface Shape {
  readonly count: number
  /** Whether the columns that most messages leave empty are null in all of them. */
  readonly isPlain: boolean
}

/**
 * The values of a statement, in the order in which it reads them. Objects with names for the columns of
 * every message took longer to create than SQLite needs to store one.
 */
type Listed = Readonly<Record<number, Value>>

/** Reads the next value of the list. */
export type Next = () => never

/** A statement for each shape; none for no message, and for too many. */
export function statementsOf<Row>(
  build: (db: Kysely<Schema>, next: Next, shape: Shape) => Compilable<Row>,
) {
  const of = (shape: Shape) => (db: Kysely<Schema>, given: Listed) => {
    let at = 0
    // Each value is of the column that the statement puts it in: both follow the same order.
    return build(db, () => given[at++] as never, shape)
  }
  const all = (isPlain: boolean) =>
    Array.from({ length: maxMessagesAtOnce }, (_, n) => of({ count: n + 1, isPlain }))
  const [plain, full] = [all(true), all(false)]
  return ({ count, isPlain }: Shape) => (isPlain ? plain : full)[count - 1]
}

export function shapeOf(messages: readonly QuestionRow[]): Shape {
  return { count: messages.length, isPlain: messages.every(isPlain) }
}

function isPlain({ parts_json, calls_json }: QuestionRow): boolean {
  return parts_json === null && calls_json === null
}

/** The values of the messages of one request, which share session, correlation id and time. */
export function messageValues(
  messages: readonly QuestionRow[],
  { isPlain }: Pick<Shape, 'isPlain'>,
): Value[] {
  const [first] = messages
  if (first === undefined) return []
  const values: Value[] = [first.session_id, first.correlation_id, first.created_at]
  for (const { seq, id, role, content, parts_json, calls_json } of messages) {
    values.push(seq, id, role, content)
    if (!isPlain) values.push(parts_json, calls_json)
  }
  return values
}

/** The rows that `messageValues` lists. */
export function messagesOf(next: Next, { count, isPlain }: Shape): QuestionRow[] {
  const shared = { session_id: next(), correlation_id: next(), created_at: next() }
  return Array.from({ length: count }, () => ({
    ...shared,
    seq: next(),
    id: next(),
    role: next(),
    content: next(),
    parts_json: isPlain ? null : next(),
    calls_json: isPlain ? null : next(),
  }))
}

/** The values of a row, to be read with `rowOf`. */
export function listed<Column extends string>(
  row: Readonly<Record<Column, Value>>,
  columns: readonly Column[],
): Value[] {
  return columns.map((column) => row[column])
}

export function rowOf<Row>(next: Next, columns: readonly (keyof Row & string)[]): Row {
  // All columns of the row are listed, in the order of `listed`.
  return Object.fromEntries(columns.map((column) => [column, next()])) as Row
}
