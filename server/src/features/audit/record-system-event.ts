import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertEvent } from './store.ts'

/** What the service did by itself, as it was set to. */
export interface SystemEvent {
  /** Null for what belongs to no workspace. */
  readonly workspaceId: string | null
  /** The kind of the job, or what else the service did. */
  readonly action: string
  readonly target: string
  readonly detail: Readonly<Record<string, unknown>>
  /** Of what it changed, where it changed a record. */
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** A step: joins the caller's unit. The event belongs to no person; its surface is `job`. */
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
    before_json: event.before === undefined ? null : JSON.stringify(event.before),
    after_json: event.after === undefined ? null : JSON.stringify(event.after),
    request_id: null,
    created_at: now,
  })
}
