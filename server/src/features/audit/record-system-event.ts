import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertEvent } from './store.ts'

/** What the service did by itself, as it was set to. */
export interface SystemEvent {
  /** Null for what belongs to no workspace. */
  readonly workspaceId: string | null
  /** The kind of the job. */
  readonly action: string
  readonly target: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** A step: joins the caller's unit. The event belongs to no person; its face is `job`. */
export async function recordSystemEvent(tx: Tx, now: number, event: SystemEvent): Promise<void> {
  await insertEvent(tx, {
    id: newId(now),
    workspace_id: event.workspaceId,
    user_id: null,
    face: 'job',
    via_kind: null,
    via_id: null,
    client: null,
    action: event.action,
    target: event.target,
    outcome: 'done',
    detail_json: JSON.stringify(event.detail),
    request_id: null,
    created_at: now,
  })
}
