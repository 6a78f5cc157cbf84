import type { Actor } from '#kernel/actor.ts'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertEvent } from './store.ts'

type Facts = Readonly<Record<string, unknown>>

export interface AuditEvent {
  readonly actor: Actor
  readonly workspaceId: string | null
  /** The operation's name. */
  readonly action: string
  /** The id of the record acted on. */
  readonly target: string | null
  readonly outcome: 'done' | 'refused'
  /** Why it was refused, or more of what was done; secrets masked by the caller. */
  readonly detail?: Facts
  /** What a change changed, as it was and as it became; secrets masked by the caller. */
  readonly before?: Facts | null
  readonly after?: Facts | null
}

/** A step: joins the caller's unit, so that a change and its record land together or not at all. */
export async function recordEvent(tx: Tx, now: number, event: AuditEvent): Promise<void> {
  const { actor } = event
  await insertEvent(tx, {
    id: newId(now),
    workspace_id: event.workspaceId,
    user_id: actor.userId,
    face: actor.surface,
    via_kind: actor.via?.kind ?? null,
    via_id: actor.via?.id ?? null,
    client: actor.via?.client ?? null,
    action: event.action,
    target: event.target,
    outcome: event.outcome,
    detail_json: jsonOf(event.detail),
    before_json: jsonOf(event.before),
    after_json: jsonOf(event.after),
    address: actor.address ?? null,
    request_id: actor.requestId ?? null,
    created_at: now,
  })
}

function jsonOf(facts: Facts | null | undefined): string | null {
  return facts === undefined || facts === null ? null : JSON.stringify(facts)
}
