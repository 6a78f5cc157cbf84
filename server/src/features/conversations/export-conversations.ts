import { requireAgent } from '#features/agents/index.ts'
import { costOfMessages } from '#features/credits/index.ts'
import { csvLine, type ExportFormat } from '#kernel/csv-line.ts'
import type { Context } from '#platform/context.ts'
import { ratingOf } from './conversation-filter.ts'
import {
  listExportedMessages,
  type ExportedRow,
  type ExportKey,
  type ExportRange,
} from './export-store.ts'

export interface ConversationExport {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly format: ExportFormat
  /** Conversations begun at this moment or later: epoch milliseconds. */
  readonly from?: number | undefined
  /** Conversations begun before this moment. */
  readonly to?: number | undefined
}

const rowsAtOnce = 500

/**
 * All messages of an agent's conversations as text, oldest conversation first, a line for each
 * message. Conversations that begin during the export are left out. One page at a time is in memory.
 * The agent is looked up before the first piece.
 *
 * @throws Fault record_not_found
 */
export async function exportConversations(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  { appId, format, from, to = Infinity }: ConversationExport,
): Promise<AsyncGenerator<string, void, undefined>> {
  const agent = await requireAgent(db.read, workspaceId, appId)
  // Set once: new conversations would otherwise keep a long export running.
  const end = Math.min(to, clock.now() + 1)
  const range: ExportRange = { workspaceId, agentId: agent.id, from, to: end }
  return linesOf(db, range, format)
}

async function* linesOf(
  db: Context['db'],
  range: ExportRange,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield csvLine(columns)
  let after: ExportKey | null = null
  for (;;) {
    const rows: readonly ExportedRow[] = await listExportedMessages(
      db.scan,
      range,
      after,
      rowsAtOnce,
    )
    const answers = rows.filter(({ role }) => role === 'assistant').map(({ id }) => id)
    const costs = await costOfMessages(db.scan, range.workspaceId, answers)
    if (rows.length > 0) yield rows.map((row) => written(row, costs, format)).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return
    after = { begunAt: last.begun_at, sessionId: last.session_id, seq: last.seq }
  }
}

const columns = [
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
] as const
type Column = (typeof columns)[number]

function written(
  row: ExportedRow,
  costs: ReadonlyMap<string, number>,
  format: ExportFormat,
): string {
  const record: Record<Column, string | number | null> = {
    session_id: row.session_id,
    begun_at: new Date(row.begun_at).toISOString(),
    source: row.source,
    end_user: row.end_user,
    seq: row.seq,
    message_id: row.id,
    created_at: new Date(row.created_at).toISOString(),
    role: row.role,
    content: row.content,
    model: row.model,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    cost_micros: row.role === 'assistant' ? (costs.get(row.id) ?? 0) : null,
    latency_ms: row.latency_ms,
    first_token_ms: row.first_token_ms,
    finish_reason: row.finish_reason,
    error_code: row.error_code,
    rating: ratingOf(row.rating),
    comment: row.comment,
  }
  if (format === 'jsonl') return `${JSON.stringify(record)}\n`
  return csvLine(columns.map((column) => textOf(record[column])))
}

function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value)
}
