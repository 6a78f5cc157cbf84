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
import { findKnownSecret, type PageSecretKind } from './known-secret-store.ts'
import { findKey } from './store.ts'

/** Why a key or secret should be replaced: what happened to the person who saw it. */
export const rotationReasons = [
  'member_removed',
  'member_left',
  'role_lost',
  'password_reset',
  'person_disabled',
  'account_claimed',
] as const
export type RotationReason = (typeof rotationReasons)[number]

/** A key or a chat page's secret that still works and that a person knows who should not use it. */
export interface KeyToRotate {
  readonly id: string
  readonly kind: 'chat' | 'acp' | PageSecretKind
  /** Of a page's secret: the agent's. */
  readonly name: string
  /** Null for a page's secret. */
  readonly last4: string | null
  readonly workspaceId: string
  readonly agentId: string
  readonly agentName: string
  readonly appNameId: string
  /** Whom Parley showed it: a key once, to its creator; a page's secret link to each editor who opened it. */
  readonly createdBy: { readonly id: string; readonly name: string; readonly email: string }
  /** Of a page's secret: when it was first shown to the person. */
  readonly createdAt: number
  /** Null for a page's secret, too. */
  readonly lastUsedAt: number | null
  readonly since: number
  readonly reason: RotationReason
}

/**
 * A step: marks the chat and checkout keys that a person created, and the secrets of chat pages that
 * they were shown, in one workspace or in all. All keep working, because the agent's callers use them.
 *
 * @returns all that the person knows, that is marked and still works
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

/**
 * What should be replaced in a workspace, newest first. Revoking a key or replacing a secret removes it
 * from the list.
 */
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
    await unmark(tx, 'api_keys', id)
    return apiKeyFromRow(row)
  })
}

/**
 * Takes a chat page's secret off the list without replacing it, as far as one person knows it.
 *
 * @throws Fault record_not_found
 */
export function keepPageSecret(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  id: string,
): Promise<{ readonly id: string; readonly agentId: string; readonly kind: PageSecretKind }> {
  return ctx.db.write(async (tx) => {
    const row = await findKnownSecret(tx, workspaceId, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await unmark(tx, 'known_secrets', id)
    return { id, agentId: row.agent_id, kind: row.kind }
  })
}

function keyFromRow(row: RotationRow): KeyToRotate {
  return {
    id: row.id,
    kind: row.kind,
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
