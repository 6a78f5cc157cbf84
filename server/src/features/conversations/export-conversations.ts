import { requireAgent } from '#features/agents/index.ts'
import { costOfMessages } from '#features/credits/index.ts'
import { readCallsOfPage } from '#features/tool-calls/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { csvLine, type ExportFormat } from '#kernel/csv-line.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { callsOfRow } from './caller-calls.ts'
import { ratingOf } from './conversation-filter.ts'
import { readCitations, readContent, readParts } from './message-content-store.ts'
import {
  csvLineInPieces,
  exportColumns,
  jsonLine,
  type Attachments,
  type MessageRecord,
} from './export-line.ts'
import { listExportedMessages, type ExportedRow, type ExportRange } from './export-store.ts'

export interface ConversationExport {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly format: ExportFormat
  /** Conversations begun at this time or later: epoch milliseconds. */
  readonly from?: number | undefined
  /** Conversations begun before this time. */
  readonly to?: number | undefined
  /** Those of one end user. */
  readonly endUser?: string | undefined
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
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  { appId, format, ...wanted }: ConversationExport,
): Promise<AsyncGenerator<string, void, undefined>> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  // Set once: new messages would otherwise keep a long export running.
  const storedUntil = ctx.clock.now()
  const place = { workspaceId, agentId: agent.id, storedUntil }
  return linesOf(ctx, { ...wanted, ...place, withCitations: format === 'jsonl' }, format)
}

async function* linesOf(
  ctx: Pick<Context, 'db' | 'clock'>,
  range: ExportRange,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield csvLine(exportColumns)
  const reader = ctx.db.report
  let after: ExportedRow | null = null
  const slice = new CpuSlice()
  let lines = ''
  for (;;) {
    const rows: ExportedRow[] = await listExportedMessages(reader, range, after, rowsAtOnce)
    const answers = rows.filter((row) => row.role === 'assistant')
    const ids = answers.map((row) => row.message_id)
    const costs = await costOfMessages(reader, range.workspaceId, ids)
    const callsOf = await readCallsOfPage(ctx, reader, format === 'jsonl' ? answers : [])
    for (const row of rows) {
      const record = await recordOf(reader, row, costs)
      const content = await readContent(reader, row)
      for (const piece of format === 'csv'
        ? csvLineInPieces(record, content)
        : jsonLine(record, content, await attachmentsOf(reader, row, callsOf))) {
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

async function recordOf(
  reader: Reader,
  row: ExportedRow,
  costs: ReadonlyMap<string, number>,
): Promise<MessageRecord> {
  const { callerCalls, toolCallId } = await callsOfRow(reader, row)
  return {
    ...row,
    content: '',
    begun_at: new Date(row.begun_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    cost_micros: row.role === 'assistant' ? (costs.get(row.message_id) ?? 0) : null,
    rating: ratingOf(row.rating),
    caller_calls: callerCalls.length === 0 ? null : JSON.stringify(callerCalls),
    tool_call_id: toolCallId,
  }
}

async function attachmentsOf(
  reader: Reader,
  row: ExportedRow,
  callsOf: Awaited<ReturnType<typeof readCallsOfPage>>,
): Promise<Attachments> {
  return {
    parts: row.has_parts === 1 ? await readParts(reader, row) : null,
    citations: await readCitations(reader, row),
    calls: await callsOf(row.message_id),
  }
}
