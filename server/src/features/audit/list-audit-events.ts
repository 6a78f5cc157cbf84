import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listEventRows, type EventFilter, type EventRow } from './store.ts'

export interface LoggedEvent {
  readonly id: string
  readonly at: number
  readonly workspaceId: string | null
  /** Null for the service itself, and for a caller without a valid credential. */
  readonly actor: { readonly id: string; readonly email: string | null } | null
  /** `mcp`, `dashboard` or `cli`; `job` for the service itself. */
  readonly surface: string
  /** The key or grant that was used. */
  readonly via: {
    readonly kind: string
    readonly id: string
    readonly client: string | null
  } | null
  readonly address: string | null
  readonly requestId: string | null
  readonly action: string
  readonly target: string | null
  readonly outcome: 'done' | 'refused'
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
  readonly detail: Readonly<Record<string, unknown>> | null
}

export function eventFromRow(row: EventRow): LoggedEvent {
  const { id, address, action, target, via_kind: kind, via_id: viaId, client } = row
  return {
    id,
    at: row.created_at,
    workspaceId: row.workspace_id,
    actor: row.user_id === null ? null : { id: row.user_id, email: row.email },
    surface: row.face,
    via: kind === null || viaId === null ? null : { kind, id: viaId, client },
    address,
    requestId: row.request_id,
    action,
    target,
    outcome: row.outcome === 'done' ? 'done' : 'refused',
    before: factsOf(row.before_json),
    after: factsOf(row.after_json),
    detail: factsOf(row.detail_json),
  }
}

function factsOf(json: string | null): Readonly<Record<string, unknown>> | null {
  // recordEvent writes only objects.
  return json === null ? null : (JSON.parse(json) as Record<string, unknown>)
}

/** Newest first. */
export function listAuditEvents(
  ctx: Pick<Context, 'db'>,
  filter: EventFilter,
  page: PageRequest,
): Promise<Page<LoggedEvent>> {
  return pageById(page, (window) => listEventRows(ctx.db.report, filter, window), eventFromRow)
}
