import { atLeast, type Actor, type Role } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import { isScope, normalizeScopes, type Scope } from '#kernel/scope.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { apiKeyFromRow, keyPrefixes, type ApiKey } from './api-key.ts'
import {
  findDeveloperKeyRow,
  findKeyAccess,
  findKeyHolder,
  listDeveloperKeyRows,
  type DeveloperKeyRow,
} from './developer-key-store.ts'
import { keyEnd, type KeyExpiry } from './key-expiry.ts'
import { insertKey, markRevoked } from './store.ts'

/** A key that acts as its person on the tool-protocol server, as far as its scopes go. */
export interface DeveloperKey extends ApiKey {
  readonly scopes: readonly Scope[]
  readonly user: { readonly id: string; readonly email: string }
}

/** Who handles keys, where. Owners and admins see and delete everybody's, others their own. */
export interface KeyHolder {
  readonly userId: string
  readonly workspaceId: string
  readonly role: Role
}

export interface NewDeveloperKey extends KeyExpiry {
  readonly name: string
  /** Everything by default. */
  readonly scopes?: readonly Scope[] | undefined
}

export interface IssuedDeveloperKey extends DeveloperKey {
  /** Shown once: only its hash is stored. */
  readonly key: string
}

/**
 * A key by which an automation acts as its person on the tool-protocol server.
 *
 * @throws Fault key_expiry_invalid
 */
export function createDeveloperKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: KeyHolder,
  input: NewDeveloperKey,
): Promise<IssuedDeveloperKey> {
  const { token, hash, last4 } = mintToken(keyPrefixes.developer)
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const id = newId(now)
    await insertKey(tx, {
      id,
      kind: 'developer',
      hash,
      last4,
      name: input.name,
      workspace_id: workspaceId,
      user_id: userId,
      agent_id: null,
      scopes: normalizeScopes(input.scopes ?? ['*']).join(' '),
      created_at: now,
      expires_at: keyEnd(input, now),
      revoked_at: null,
      last_used_at: null,
    })
    const row = await findDeveloperKeyRow(tx, workspaceId, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    return { ...developerKeyFromRow(row), key: token }
  })
}

/** The keys that were not deleted, newest first; expired ones among them. */
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
 * Ends a key at once, in every process: keys are looked up on each request.
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

/** A developer key as a request with it needs it. */
export interface PresentedKey {
  readonly id: string
  readonly name: string
  readonly userId: string
  readonly workspaceId: string
  readonly scopes: readonly Scope[]
  /** Epoch milliseconds; it may have passed. */
  readonly expiresAt: number | null
  readonly plan: string
}

/** The key of a hash unless it was deleted, or its person left its workspace; expired ones too. */
export async function findDeveloperKey(
  ctx: Pick<Context, 'db'>,
  hash: string,
): Promise<PresentedKey | null> {
  const row = await findKeyAccess(ctx.db.read, hash)
  if (row === undefined) return null
  return {
    id: row.id,
    name: row.name,
    userId: row.user_id,
    workspaceId: row.workspace_id,
    scopes: scopesFromRow(row.scopes),
    expiresAt: row.expires_at,
    plan: row.plan,
  }
}

/** Whose a key is or was, deleted and expired ones too: for the record of a refusal. */
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
    user: { id: row.user_id, email: row.email },
  }
}

function scopesFromRow(scopes: string | null): readonly Scope[] {
  return (scopes ?? '').split(' ').filter(isScope)
}
