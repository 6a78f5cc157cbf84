import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireReachInto, resolveReach, type PickedReach } from '#features/reach/index.ts'
import { atLeast, type Actor, type Role } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import { readReach, writeReach, type Reach } from '#kernel/reach.ts'
import { isScope, normalizeScopes, type Scope } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { writeBlocks } from './allowed-addresses.ts'
import { apiKeyFromRow, issueKey, type ApiKey } from './api-key.ts'
import {
  findDeveloperKeyRow,
  findKeyHolder,
  keyAccessOfHash,
  listDeveloperKeyRows,
  type DeveloperKeyRow,
} from './developer-key-store.ts'
import { keyEnd, type KeyExpiry } from './key-expiry.ts'
import { markRevoked } from './store.ts'

/** A key that acts as its user on the MCP server, within its scopes. */
export interface DeveloperKey extends ApiKey {
  readonly scopes: readonly Scope[]
  /** What it is bound to; undefined: wherever its user may act. */
  readonly reach: Reach | undefined
  readonly user: { readonly id: string; readonly email: string }
}

/** A member who manages keys: owners and admins those of all members, others their own. */
interface KeyHolder {
  readonly userId: string
  readonly workspaceId: string
  readonly role: Role
}

interface NewDeveloperKey extends KeyExpiry, PickedReach {
  readonly name: string
  /** Default: all. */
  readonly scopes?: readonly Scope[] | undefined
  /** Addresses and networks in CIDR notation; default: any. */
  readonly allowedAddresses?: readonly string[] | undefined
}

export interface IssuedDeveloperKey extends DeveloperKey {
  /** Shown once: only its hash is stored. */
  readonly key: string
}

/**
 * @throws Fault key_expiry_invalid, address_block_invalid, reach_unknown, reach_misses_workspace,
 *   limit_reached
 */
export async function createDeveloperKey(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: KeyHolder,
  input: NewDeveloperKey,
): Promise<IssuedDeveloperKey> {
  const allowed_addresses = writeBlocks(input.allowedAddresses)
  const reach = await resolveReach(ctx.db.read, userId, input)
  requireReachInto(reach, workspaceId)
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    await requireRecordRoom(tx, ctx, 'keys_per_workspace', workspaceId)
    const issued = await issueKey(tx, now, {
      kind: 'developer',
      name: input.name,
      workspace_id: workspaceId,
      user_id: userId,
      agent_id: null,
      scopes: normalizeScopes(input.scopes ?? ['*']).join(' '),
      reach_json: writeReach(reach),
      allowed_addresses,
      expires_at: keyEnd(input, now),
    })
    const row = await findDeveloperKeyRow(tx, workspaceId, issued.row.id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    return { ...developerKeyFromRow(row), key: issued.token }
  })
}

/** The keys that were not deleted, newest first, including expired ones. */
export function listDeveloperKeys(
  ctx: Pick<Context, 'db'>,
  { userId, workspaceId, role }: KeyHolder,
  page: PageRequest,
): Promise<Page<DeveloperKey>> {
  const filter = { workspaceId, userId: atLeast(role, 'admin') ? undefined : userId }
  return pageById(
    page,
    (window) => listDeveloperKeyRows(ctx.db.read, filter, window),
    developerKeyFromRow,
  )
}

/**
 * Revokes a key at once in every process, because each request looks up its key.
 *
 * @throws Fault record_not_found
 */
export function deleteDeveloperKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId, role }: KeyHolder,
  id: string,
): Promise<DeveloperKey> {
  return ctx.db.write(async (tx) => {
    const row = await findDeveloperKeyRow(tx, workspaceId, id)
    const isTheirs = row !== undefined && (row.user_id === userId || atLeast(role, 'admin'))
    if (!isTheirs) throw new Fault(commonFaults.record_not_found)
    const revoked_at = row.revoked_at ?? ctx.clock.now()
    await markRevoked(tx, id, revoked_at)
    return developerKeyFromRow({ ...row, revoked_at })
  })
}

/** Null if the key was deleted or its user left the workspace. Expired keys are returned too. */
export async function findDeveloperKey(ctx: Pick<Context, 'db'>, hash: string) {
  const [row] = await ctx.db.prepared(keyAccessOfHash).readShared({ hash })
  if (row === undefined) return null
  return {
    id: row.id,
    name: row.name,
    userId: row.user_id,
    workspaceId: row.workspace_id,
    scopes: scopesFromRow(row.scopes),
    reach: readReach(row.reach_json),
    allowedAddresses: row.allowed_addresses,
    expiresAt: row.expires_at,
    plan: row.plan,
    planIsOwn: row.plan_is_own,
    billingUserId: row.billing_user_id,
  }
}

/** The holder of a key, also of a deleted or expired one, to record a refusal. */
export async function findDeveloperKeyHolder(
  ctx: Pick<Context, 'db'>,
  hash: string,
): Promise<Actor | null> {
  const row = await findKeyHolder(ctx.db.read, hash)
  if (row === undefined || row.user_id === null) return null
  return {
    userId: row.user_id,
    workspaceId: row.workspace_id,
    scopes: [],
    surface: 'mcp',
    via: { kind: 'developer_key', id: row.id, client: row.name },
  }
}

function developerKeyFromRow(row: DeveloperKeyRow): DeveloperKey {
  return {
    ...apiKeyFromRow(row),
    scopes: scopesFromRow(row.scopes),
    reach: readReach(row.reach_json),
    user: { id: row.user_id, email: row.email },
  }
}

function scopesFromRow(scopes: string | null): readonly Scope[] {
  return (scopes ?? '').split(' ').filter(isScope)
}
