import type { Surface } from '#kernel/actor.ts'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertEvent } from './store.ts'

/** What was refused to somebody whom no credential names. */
export interface StrangerEvent {
  readonly surface: Surface
  readonly action: string
  readonly detail: Readonly<Record<string, unknown>>
  readonly requestId?: string | undefined
  readonly address?: string | null
}

/** A step: a refusal that belongs to no person and no workspace. */
export async function recordStranger(tx: Tx, now: number, event: StrangerEvent): Promise<void> {
  await insertEvent(tx, {
    id: newId(now),
    workspace_id: null,
    user_id: null,
    face: event.surface,
    via_kind: null,
    via_id: null,
    client: null,
    action: event.action,
    target: null,
    outcome: 'refused',
    detail_json: JSON.stringify(event.detail),
    address: event.address ?? null,
    request_id: event.requestId ?? null,
    created_at: now,
  })
}
