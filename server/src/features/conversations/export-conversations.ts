import { requireAgent } from '#features/agents/index.ts'
import { costOfMessages } from '#features/credits/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { csvLine, type ExportFormat } from '#kernel/csv-line.ts'
import type { Context } from '#platform/context.ts'
import { callsOfRow, type CallsOfMessage } from './caller-calls.ts'
import { ratingOf } from './conversation-filter.ts'
import { readContent, readParts } from './message-content-store.ts'
import { csvLineInPieces, exportColumns, jsonLine, type MessageRecord } from './export-line.ts'
import { listExportedMessages, type ExportedRow, type ExportRange } from './export-store.ts'

export interface ConversationExport {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly format: ExportFormat
  /** Conversations begun at this time or later: epoch milliseconds. */
  readonly from?: number | undefined
  /** Conversations begun before this time. */
  readonly to?: number | undefined
}

const rowsAtOnce = 500
/** Text is sent in pieces of about this length. UTF-16 code units. */
const pieceLength = 256 * 1024

/**
 * All messages of an agent's conversations as text, oldest conversation first, a line for each
 * message. Messages stored after the export began are left out. One message at a time is in memory. The
 * agent is looked up before the first piece.
 *
 * @throws Fault record_not_found
 */
export async function exportConversations(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  { appId, format, ...begun }: ConversationExport,
): Promise<AsyncGenerator<string, void, undefined>> {
  const agent = await requireAgent(db.read, workspaceId, appId)
  // Set once: new messages would otherwise keep a long export running.
  const storedUntil = clock.now()
  return linesOf(db, { ...begun, workspaceId, agentId: agent.id, storedUntil }, format)
}

async function* linesOf(
  db: Context['db'],
  range: ExportRange,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield csvLine(exportColumns)
  let after: ExportedRow | null = null
  const slice = new CpuSlice()
  let lines = ''
  for (;;) {
    const rows: ExportedRow[] = await listExportedMessages(db.report, range, after, rowsAtOnce)
    const answers = rows.filter((row) => row.role === 'assistant').map((row) => row.message_id)
    const costs = await costOfMessages(db.report, range.workspaceId, answers)
    for (const row of rows) {
      const content = await readContent(db.report, row)
      const calls = await callsOfRow(db.report, row)
      const isWanted = format === 'jsonl' && row.has_parts === 1
      const parts = isWanted ? await readParts(db.report, row) : null
      for (const piece of lineOf({ ...row, content, parts, ...calls }, costs, format)) {
        lines += piece
        if (slice.isOver) await slice.next()
        if (lines.length < pieceLength) continue
        yield lines
        lines = ''
      }
    }
    if (lines !== '') yield lines
    lines = ''
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return
    after = last
  }
}

/** The line of a message, in pieces: a message of megabytes takes too long at once. */
function* lineOf(
  row: ExportedRow & CallsOfMessage & { content: string; parts: string | null },
  costs: ReadonlyMap<string, number>,
  format: ExportFormat,
): Generator<string, void, undefined> {
  const { content, parts, callerCalls, toolCallId, isRefusal: _, ...rest } = row
  const record: MessageRecord = {
    ...rest,
    content: '',
    begun_at: new Date(row.begun_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    cost_micros: row.role === 'assistant' ? (costs.get(row.message_id) ?? 0) : null,
    rating: ratingOf(row.rating),
    caller_calls: callerCalls.length === 0 ? null : JSON.stringify(callerCalls),
    tool_call_id: toolCallId,
  }
  yield* format === 'jsonl' ? jsonLine(record, content, parts) : csvLineInPieces(record, content)
}
