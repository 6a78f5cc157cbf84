import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { apiKeyFromRow, type ApiKey } from './api-key.ts'
import {
  listKeysToRotate as listRows,
  listKeysToRotateOf,
  markForRotation,
  unmark,
  type RotationRow,
} from './rotation-store.ts'
import { findKey } from './store.ts'

/** Why a key should be replaced: what happened to the person who saw it. */
export const rotationReasons = [
  'member_removed',
  'member_left',
  'password_reset',
  'person_disabled',
  'account_claimed',
] as const
export type RotationReason = (typeof rotationReasons)[number]

/** A chat or checkout key that still works and that a person knows who should not use it. */
export interface KeyToRotate {
  readonly id: string
  readonly kind: 'chat' | 'acp'
  readonly name: string
  readonly last4: string
  readonly workspaceId: string
  readonly agentId: string
  readonly agentName: string
  readonly appNameId: string
  /** The only person whom Parley showed the key: it is shown once, to its creator. */
  readonly createdBy: { readonly id: string; readonly name: string; readonly email: string }
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly since: number
  readonly reason: RotationReason
}

/**
 * A step: marks the chat and checkout keys that a person created, in one workspace or in all. They
 * keep working, because the agent's callers use them.
 *
 * @returns all of the person's keys that are marked and still work
 */
export async function markKeysToRotate(
  tx: Tx,
  person: { readonly userId: string; readonly workspaceId?: string },
  reason: RotationReason,
  now: number,
): Promise<readonly KeyToRotate[]> {
  await markForRotation(tx, person, { rotate_since: now, rotate_reason: reason })
  return (await listKeysToRotateOf(tx, person, now)).map(keyFromRow)
}

/** A workspace's keys that should be replaced, newest first. Revoking one removes it from the list. */
export function listKeysToRotate(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<KeyToRotate>> {
  const filter = { workspaceId, now: ctx.clock.now() }
  return pageById(page, (window) => listRows(ctx.db.read, filter, window), keyFromRow)
}

/**
 * Takes a key off the list without replacing it.
 *
 * @throws Fault record_not_found
 */
export function keepKey(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  id: string,
): Promise<ApiKey> {
  return ctx.db.write(async (tx) => {
    const row =
      (await findKey(tx, workspaceId, 'chat', id)) ?? (await findKey(tx, workspaceId, 'acp', id))
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await unmark(tx, id)
    return apiKeyFromRow(row)
  })
}

function keyFromRow(row: RotationRow): KeyToRotate {
  return {
    id: row.id,
    kind: row.kind === 'acp' ? 'acp' : 'chat',
    name: row.name,
    last4: row.last4,
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    agentName: row.agent_name,
    appNameId: row.app_name_id,
    createdBy: { id: row.person_id, name: row.person_name, email: row.person_email },
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    since: row.rotate_since ?? 0,
    reason: rotationReasons.find((reason) => reason === row.rotate_reason) ?? 'member_removed',
  }
}
