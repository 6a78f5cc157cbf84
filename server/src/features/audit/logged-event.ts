import type { EventRow } from './store.ts'

/** An event as it is read: who did what on what, and how it went. */
export interface LoggedEvent {
  readonly id: string
  readonly at: number
  readonly workspaceId: string | null
  /** Null for what the service did by itself, and for somebody whom no credential names. */
  readonly actor: { readonly id: string; readonly email: string | null } | null
  /** `mcp`, `dashboard`, `cli`; `job` for what the service did by itself. */
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
  return {
    id: row.id,
    at: row.created_at,
    workspaceId: row.workspace_id,
    actor: row.user_id === null ? null : { id: row.user_id, email: row.email },
    surface: row.face,
    via:
      row.via_kind === null || row.via_id === null
        ? null
        : { kind: row.via_kind, id: row.via_id, client: row.client },
    address: row.address,
    requestId: row.request_id,
    action: row.action,
    target: row.target,
    outcome: row.outcome === 'done' ? 'done' : 'refused',
    before: factsOf(row.before_json),
    after: factsOf(row.after_json),
    detail: factsOf(row.detail_json),
  }
}

function factsOf(json: string | null): Readonly<Record<string, unknown>> | null {
  // Written by recordEvent, which takes objects only.
  return json === null ? null : (JSON.parse(json) as Record<string, unknown>)
}
