import type { StoredCall } from '#features/tool-calls/index.ts'
import { csvCellInPieces, csvCells, csvLineEnd } from '#kernel/csv-line.ts'

/** The fields of a line, in their order. */
export const exportColumns = [
  'session_id',
  'begun_at',
  'source',
  'end_user',
  'seq',
  'message_id',
  'created_at',
  'role',
  'content',
  'model',
  'prompt_tokens',
  'completion_tokens',
  'cost_micros',
  'latency_ms',
  'first_token_ms',
  'finish_reason',
  'error_code',
  'rating',
  'comment',
  'caller_calls',
  'tool_call_id',
  'summary',
  'reasoning',
]

/** A message of an export; its content is empty here, because it is written in pieces. */
export type MessageRecord = Readonly<Record<string, string | number | null>> & { content: '' }

/** The part of a content that is escaped at once. UTF-16 code units. */
const pieceLength = 64 * 1024

/** What a message has beside its columns, which CSV leaves out. */
export interface Attachments {
  /** Its parts as JSON, such as images and files; null for none. */
  readonly parts: string | null
  /** The passages that an answer cites, as JSON; null for none. */
  readonly citations: string | null
  /** The calls that were made for an answer. */
  readonly calls: readonly StoredCall[]
}

/** A line of JSON Lines. */
export function* jsonLine(
  record: MessageRecord,
  content: string,
  { parts, citations, calls }: Attachments,
): Generator<string> {
  const line = JSON.stringify(record, exportColumns)
  // A quotation mark in a value is escaped, so this matches the field alone.
  const field = '"content":"'
  const at = line.indexOf(field) + field.length
  yield line.slice(0, at)
  for (const piece of piecesOf(content)) yield JSON.stringify(piece).slice(1, -1)
  yield `${line.slice(at, -1)},"parts":`
  yield* piecesOf(parts ?? 'null')
  yield ',"citations":'
  yield* piecesOf(citations ?? 'null')
  yield ',"action_calls":'
  yield* calls.length === 0 ? ['null'] : listOfCalls(calls)
  yield '}\n'
}

/** As get_conversation shows them. The arguments are stored as JSON, and stay as they are. */
function* listOfCalls(calls: readonly StoredCall[]): Generator<string> {
  for (const [index, call] of calls.entries()) {
    const { id, kind, name, title, argumentsJson, status, error, response } = call
    yield `${index === 0 ? '[' : ','}${JSON.stringify({ id, kind, name, title }).slice(0, -1)}`
    yield ',"arguments":'
    yield* piecesOf(argumentsJson)
    const outcome = {
      status,
      http_status: call.httpStatus,
      error_code: call.errorCode,
      error,
      duration_ms: call.durationMs,
      response,
      created_at: new Date(call.createdAt).toISOString(),
    }
    yield `,${JSON.stringify(outcome).slice(1)}`
  }
  yield ']'
}

/** A line of RFC 4180 §2. */
export function* csvLineInPieces(record: MessageRecord, content: string): Generator<string> {
  const at = exportColumns.indexOf('content')
  const cells = (columns: readonly string[]) =>
    csvCells(columns.map((column) => record[column]?.toString()))
  yield `${cells(exportColumns.slice(0, at))},`
  if (content.length <= pieceLength) yield csvCells([content])
  else yield* csvCellInPieces(piecesOf(content))
  yield `,${cells(exportColumns.slice(at + 1))}${csvLineEnd}`
}

/** Pieces that divide no character. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = start + pieceLength
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1
    yield text.slice(start, end)
    start = end
  }
}
