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

/**
 * A line of JSON Lines.
 *
 * @param parts the parts of the message as JSON, such as its images and files; null for none
 */
export function* jsonLine(
  record: MessageRecord,
  content: string,
  parts: string | null,
): Generator<string> {
  const line = JSON.stringify(record, exportColumns)
  // A quotation mark in a value is escaped, so this matches the field alone.
  const field = '"content":"'
  const at = line.indexOf(field) + field.length
  yield line.slice(0, at)
  for (const piece of piecesOf(content)) yield JSON.stringify(piece).slice(1, -1)
  yield `${line.slice(at, -1)},"parts":`
  yield* piecesOf(parts ?? 'null')
  yield '}\n'
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
