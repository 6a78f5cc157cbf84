import { csvLine, type ExportFormat } from '#kernel/csv-line.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import { readHeads } from './read-heads.ts'
import { eventFromRow, type LoggedEvent } from './list-audit-events.ts'
import { listEventRows, type EventFilter, type EventRow } from './store.ts'

const rowsAtOnce = 500

/**
 * The audit log as text, newest first, with one page of events in memory at a time. Events that are
 * recorded during the export are left out. JSON Lines end with the heads of the exported chains,
 * which `parley audit verify --since` reads.
 */
export async function* exportAuditEvents(
  ctx: Pick<Context, 'db'>,
  filter: EventFilter,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield csvLine(Object.keys(columns))
  let before: string | undefined
  for (;;) {
    const rows = await listEventRows(ctx.db.report, filter, { limit: rowsAtOnce, before })
    if (rows.length > 0) yield rows.map((row) => written(row, format)).join('')
    before = rows.at(-1)?.id
    if (rows.length < rowsAtOnce) break
  }
  if (format === 'csv') return
  for await (const { chain, ...newest } of readHeads(ctx, filter.workspaceId))
    yield `${JSON.stringify({ head: { chain, ...newest } })}\n`
}

/** The columns of the CSV file. */
const columns: Readonly<Record<string, (event: LoggedEvent) => string | null | undefined>> = {
  id: ({ id }) => id,
  at: ({ at }) => timeOf(at),
  workspace_id: ({ workspaceId }) => workspaceId,
  actor_id: ({ actor }) => actor?.id,
  actor_email: ({ actor }) => actor?.email,
  face: ({ surface }) => surface,
  via_kind: ({ via }) => via?.kind,
  via_id: ({ via }) => via?.id,
  client: ({ via }) => via?.client,
  address: ({ address }) => address,
  request_id: ({ requestId }) => requestId,
  action: ({ action }) => action,
  target: ({ target }) => target,
  outcome: ({ outcome }) => outcome,
  before: ({ before }) => jsonOf(before),
  after: ({ after }) => jsonOf(after),
  detail: ({ detail }) => jsonOf(detail),
}

function written(row: EventRow, format: ExportFormat): string {
  const event = eventFromRow(row)
  if (format === 'csv') return csvLine(Object.values(columns).map((textOf) => textOf(event)))
  const { at, surface: face, ...rest } = event
  const { seq, link } = row
  return `${JSON.stringify({ ...snakeKeys(rest), face, at: timeOf(at), seq, link })}\n`
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}

function jsonOf(facts: Readonly<Record<string, unknown>> | null): string | null {
  return facts === null ? null : JSON.stringify(facts)
}
