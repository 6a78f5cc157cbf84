import { csvLine } from '#kernel/csv-line.ts'
import type { Context } from '#platform/context.ts'
import { eventFromRow, type LoggedEvent } from './logged-event.ts'
import { listEventRows, type EventFilter } from './store.ts'

export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

const rowsAtOnce = 500

/**
 * A log as text, newest first, a piece at a time: however long it is, one page of it is in memory.
 * What is written while it runs is not in it: it walks towards the past.
 */
export async function* exportAuditEvents(
  ctx: Pick<Context, 'db'>,
  filter: EventFilter,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield csvLine(columns)
  let before: string | undefined
  for (;;) {
    const rows = await listEventRows(ctx.db.scan, filter, { limit: rowsAtOnce, before })
    if (rows.length === 0) return
    yield rows.map((row) => written(eventFromRow(row), format)).join('')
    before = rows.at(-1)?.id
    if (rows.length < rowsAtOnce) return
  }
}

const columns = [
  'id',
  'at',
  'workspace_id',
  'actor_id',
  'actor_email',
  'face',
  'via_kind',
  'via_id',
  'client',
  'address',
  'request_id',
  'action',
  'target',
  'outcome',
  'before',
  'after',
  'detail',
] as const

function written(event: LoggedEvent, format: ExportFormat): string {
  const at = new Date(event.at).toISOString()
  const { workspaceId: workspace_id, requestId: request_id, surface: face, ...rest } = event
  if (format === 'jsonl')
    return `${JSON.stringify({ ...rest, face, at, workspace_id, request_id })}\n`
  return csvLine([
    event.id,
    at,
    workspace_id,
    event.actor?.id,
    event.actor?.email,
    face,
    event.via?.kind,
    event.via?.id,
    event.via?.client,
    event.address,
    request_id,
    event.action,
    event.target,
    event.outcome,
    jsonOf(event.before),
    jsonOf(event.after),
    jsonOf(event.detail),
  ])
}

function jsonOf(facts: Readonly<Record<string, unknown>> | null): string | null {
  return facts === null ? null : JSON.stringify(facts)
}
