import type { Kysely, Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { lastUse } from './sender.ts'

export type ApiKeyRow = Selectable<Schema['api_keys']>
export type KeyKind = ApiKeyRow['kind']

export async function insertKey(tx: Tx, row: ApiKeyRow): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute()
}

export function findKey(
  reader: Reader,
  workspaceId: string,
  kind: KeyKind,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return reader
    .selectFrom('api_keys')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The keys of one kind, and of one agent if given, that are not revoked, newest first. */
export function listKeys(
  reader: Reader,
  filter: { workspaceId: string; kind: KeyKind; agentId?: string },
  page: { limit: number; before: string | undefined },
): Promise<ApiKeyRow[]> {
  let query = reader
    .selectFrom('api_keys')
    .selectAll()
    .where('workspace_id', '=', filter.workspaceId)
    .where('kind', '=', filter.kind)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}

export async function markRevoked(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

type KeyUse = ReturnType<typeof lastUse> & { readonly id: string; readonly unless_since: number }

/** Records a use unless another process recorded one since. */
export const markUsed = (db: Kysely<Schema>, given: KeyUse) =>
  db
    .updateTable('api_keys')
    .set({
      last_used_at: given.last_used_at,
      last_used_address: given.last_used_address,
      last_used_agent: given.last_used_agent,
    })
    .where('id', '=', given.id)
    .where((e) =>
      e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', given.unless_since)]),
    )

/** The single read of a checkout request: key, workspace, agent. */
export const acpKeyOfHash = (db: Kysely<Schema>, given: { readonly hash: string }) =>
  db
    .selectFrom('api_keys as key')
    .innerJoin('workspaces as workspace', 'workspace.id', 'key.workspace_id')
    .innerJoin('agents as agent', 'agent.id', 'key.agent_id')
    .where('key.hash', '=', given.hash)
    .where('key.kind', '=', 'acp')
    .select([
      'key.id as key_id',
      'key.workspace_id',
      'key.expires_at',
      'key.revoked_at',
      'key.allowed_addresses',
      'workspace.deleted_at as workspace_deleted_at',
      'agent.id as agent_id',
      'agent.app_name_id',
      'agent.deleted_at as agent_deleted_at',
    ])
