import type { Kysely, Selectable } from 'kysely'
import type { lastUse } from '#features/api-keys/index.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type GrantRow = Selectable<Schema['oauth_grants']>
/** More than one only after an upgrade, or when the limit is lowered. */
const endedAtOnce = 20

type TokenRow = Selectable<Schema['oauth_tokens']>

export async function insertGrant(tx: Tx, row: GrantRow): Promise<void> {
  await tx.insertInto('oauth_grants').values(row).execute()
}

export async function insertTokens(tx: Tx, rows: readonly TokenRow[]): Promise<void> {
  await tx.insertInto('oauth_tokens').values(rows).execute()
}

export function findToken(reader: Reader, hash: string): Promise<TokenRow | undefined> {
  return reader.selectFrom('oauth_tokens').selectAll().where('hash', '=', hash).executeTakeFirst()
}

export function findGrant(reader: Reader, id: string): Promise<GrantRow | undefined> {
  return reader.selectFrom('oauth_grants').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The one read for a request with an access token: token, grant, membership and plan. */
export const accessOfHash = (db: Kysely<Schema>, given: { hash: string }) =>
  db
    .selectFrom('oauth_tokens as token')
    .innerJoin('oauth_grants as grant', 'grant.id', 'token.grant_id')
    .innerJoin('workspaces as workspace', 'workspace.id', 'grant.workspace_id')
    .innerJoin('memberships as seat', (join) =>
      join
        .onRef('seat.workspace_id', '=', 'grant.workspace_id')
        .onRef('seat.user_id', '=', 'grant.user_id'),
    )
    .where('token.hash', '=', given.hash)
    .where('token.kind', '=', 'access')
    .where('grant.revoked_at', 'is', null)
    .where('workspace.deleted_at', 'is', null)
    .select([
      'token.scopes',
      'token.expires_at',
      'grant.id as grant_id',
      'grant.user_id',
      'grant.workspace_id',
      'grant.client_name',
      'grant.resource',
      'grant.reach_json',
      'grant.last_used_at',
      'workspace.plan',
      'workspace.plan_is_own',
      'workspace.billing_user_id',
    ])

/** The holder of a token, also of a revoked or expired one. */
export function findTokenHolder(reader: Reader, hash: string) {
  return reader
    .selectFrom('oauth_tokens as token')
    .innerJoin('oauth_grants as grant', 'grant.id', 'token.grant_id')
    .where('token.hash', '=', hash)
    .select(['grant.id as grant_id', 'grant.user_id', 'grant.workspace_id', 'grant.client_name'])
    .executeTakeFirst()
}

/** @returns false if another call has exchanged it, even at the same time */
export async function markRotated(tx: Tx, hash: string, now: number): Promise<boolean> {
  const rotated = await tx
    .updateTable('oauth_tokens')
    .set({ rotated_at: now })
    .where('hash', '=', hash)
    .where('rotated_at', 'is', null)
    .returning('hash')
    .executeTakeFirst()
  return rotated !== undefined
}

export async function extendGrant(tx: Tx, id: string, expiresAt: number): Promise<void> {
  await tx.updateTable('oauth_grants').set({ expires_at: expiresAt }).where('id', '=', id).execute()
}

export async function deleteToken(tx: Tx, hash: string): Promise<void> {
  await tx.deleteFrom('oauth_tokens').where('hash', '=', hash).execute()
}

export async function deleteAccessTokens(tx: Tx, grantId: string): Promise<void> {
  await tx
    .deleteFrom('oauth_tokens')
    .where('grant_id', '=', grantId)
    .where('kind', '=', 'access')
    .execute()
}

/** Ends a grant with all its tokens; a grant that has ended keeps the time of its first end. */
export async function endGrant(tx: Tx, id: string, now: number): Promise<void> {
  await tx.deleteFrom('oauth_tokens').where('grant_id', '=', id).execute()
  await tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** A step: ends a person's live grants with all their tokens; with a workspace, only those for it. */
export async function endLiveGrants(
  tx: Tx,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId?: string },
  now: number,
): Promise<void> {
  let query = tx
    .selectFrom('oauth_grants')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId)
  for (const { id } of await query.execute()) await endGrant(tx, id, now)
}

/** A person's live grants beyond the newest `kept`. */
export function listOldestGrants(
  tx: Tx,
  { userId, now }: { readonly userId: string; readonly now: number },
  kept: number,
): Promise<GrantRow[]> {
  return tx
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(endedAtOnce)
    .offset(kept)
    .execute()
}

/** A person's live grants, newest first. */
export function listGrants(
  reader: Reader,
  filter: { readonly userId: string; readonly now: number },
  page: { readonly limit: number; readonly before: string | undefined },
) {
  let query = reader
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', filter.userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', filter.now)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}

/** Stores a use unless another process has stored one since `unlessSince`. */
export async function markGrantUsed(
  tx: Tx,
  id: string,
  use: ReturnType<typeof lastUse>,
  unlessSince: number,
) {
  await tx
    .updateTable('oauth_grants')
    .set(use)
    .where('id', '=', id)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', unlessSince)]))
    .execute()
}

export async function deleteExpiredTokens(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.deleteFrom('oauth_tokens').where('expires_at', '<', expiredBefore).execute()
}

/** Remaining tokens are deleted with their grant: the reference cascades. */
export async function deleteExpiredGrants(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.deleteFrom('oauth_grants').where('expires_at', '<', expiredBefore).execute()
}
