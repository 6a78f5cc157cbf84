import type { Reader, Tx } from '#platform/db/database.ts'

/** Live keys that should be replaced, with their agent and the person who created them. */
function keysToRotate(reader: Reader, now: number) {
  return reader
    .selectFrom('api_keys as key')
    .innerJoin('agents as agent', 'agent.id', 'key.agent_id')
    .innerJoin('workspaces as workspace', 'workspace.id', 'key.workspace_id')
    .innerJoin('users as person', 'person.id', 'key.user_id')
    .where('key.rotate_since', 'is not', null)
    .where('key.revoked_at', 'is', null)
    .where((e) => e.or([e('key.expires_at', 'is', null), e('key.expires_at', '>', now)]))
    .where('agent.deleted_at', 'is', null)
    .where('workspace.deleted_at', 'is', null)
    .select([
      'key.id',
      'key.kind',
      'key.name',
      'key.last4',
      'key.workspace_id',
      'agent.id as agent_id',
      'key.created_at',
      'key.last_used_at',
      'key.rotate_since',
      'key.rotate_reason',
      'agent.name as agent_name',
      'agent.app_name_id',
      'person.id as person_id',
      'person.name as person_name',
      'person.email as person_email',
    ])
    .orderBy('key.id', 'desc')
}

export type RotationRow = Awaited<ReturnType<typeof listKeysToRotate>>[number]

/** Newest first. */
export function listKeysToRotate(
  reader: Reader,
  filter: { readonly workspaceId: string; readonly now: number },
  page: { readonly limit: number; readonly before: string | undefined },
) {
  let query = keysToRotate(reader, filter.now)
    .where('key.workspace_id', '=', filter.workspaceId)
    .limit(page.limit)
  if (page.before !== undefined) query = query.where('key.id', '<', page.before)
  return query.execute()
}

/** One person's, in one workspace or in all. */
export function listKeysToRotateOf(
  reader: Reader,
  person: { readonly userId: string; readonly workspaceId?: string },
  now: number,
) {
  let query = keysToRotate(reader, now).where('key.user_id', '=', person.userId)
  if (person.workspaceId !== undefined)
    query = query.where('key.workspace_id', '=', person.workspaceId)
  return query.execute()
}

/** Marks the keys that a person created; a key that is marked already keeps its first reason. */
export async function markForRotation(
  tx: Tx,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId?: string },
  mark: { readonly rotate_since: number; readonly rotate_reason: string },
): Promise<void> {
  let query = tx
    .updateTable('api_keys')
    .set(mark)
    .where('user_id', '=', userId)
    .where('kind', 'in', ['chat', 'acp'])
    .where('revoked_at', 'is', null)
    .where('rotate_since', 'is', null)
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId)
  await query.execute()
}

export async function unmark(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ rotate_since: null, rotate_reason: null })
    .where('id', '=', id)
    .execute()
}
