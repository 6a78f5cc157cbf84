import type { Kysely } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { ApiKeyRow } from './store.ts'

export type DeveloperKeyRow = ApiKeyRow & { readonly email: string }

function developerKeys(reader: Reader) {
  return reader
    .selectFrom('api_keys as key')
    .innerJoin('users as person', 'person.id', 'key.user_id')
    .where('key.kind', '=', 'developer')
    .selectAll('key')
    .select('person.email')
}

export function findDeveloperKeyRow(
  reader: Reader,
  workspaceId: string,
  id: string,
): Promise<DeveloperKeyRow | undefined> {
  return developerKeys(reader)
    .where('key.workspace_id', '=', workspaceId)
    .where('key.id', '=', id)
    .executeTakeFirst()
}

/** Keys that are not revoked, newest first, of one user or of all. */
export function listDeveloperKeyRows(
  reader: Reader,
  filter: { readonly workspaceId: string; readonly userId: string | undefined },
  page: { readonly limit: number; readonly before: string | undefined },
): Promise<DeveloperKeyRow[]> {
  let query = developerKeys(reader)
    .where('key.workspace_id', '=', filter.workspaceId)
    .where('key.revoked_at', 'is', null)
    .orderBy('key.id', 'desc')
    .limit(page.limit)
  if (filter.userId !== undefined) query = query.where('key.user_id', '=', filter.userId)
  if (page.before !== undefined) query = query.where('key.id', '<', page.before)
  return query.execute()
}

/** The single read of a request with a developer key: key, membership, plan. */
export const keyAccessOfHash = (db: Kysely<Schema>, given: { hash: string }) =>
  db
    .selectFrom('api_keys as key')
    .innerJoin('workspaces as workspace', 'workspace.id', 'key.workspace_id')
    .innerJoin('memberships as seat', (join) =>
      join
        .onRef('seat.workspace_id', '=', 'key.workspace_id')
        .onRef('seat.user_id', '=', 'key.user_id'),
    )
    .where('key.hash', '=', given.hash)
    .where('key.kind', '=', 'developer')
    .where('key.revoked_at', 'is', null)
    .where('workspace.deleted_at', 'is', null)
    .select([
      'key.id',
      'key.name',
      'key.user_id',
      'key.workspace_id',
      'key.scopes',
      'key.reach_json',
      'key.allowed_addresses',
      'key.expires_at',
      'workspace.plan',
      'workspace.plan_is_own',
      'workspace.billing_user_id',
    ])

/** The holder of a key, also of a deleted or expired one. */
export function findKeyHolder(reader: Reader, hash: string) {
  return reader
    .selectFrom('api_keys')
    .where('hash', '=', hash)
    .where('kind', '=', 'developer')
    .select(['id', 'name', 'user_id', 'workspace_id'])
    .executeTakeFirst()
}

/** A step: revokes a user's developer keys, in one workspace or in all. */
export async function endDeveloperKeys(
  tx: Tx,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId?: string },
  now: number,
): Promise<void> {
  let query = tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('kind', '=', 'developer')
    .where('revoked_at', 'is', null)
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId)
  await query.execute()
}
