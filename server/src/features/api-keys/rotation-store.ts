import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { PageSecretKind } from './known-secret-store.ts'

/** Of the agent and of the person who knows the key or secret. */
const shared = [
  'key.id as id',
  'key.workspace_id',
  'key.rotate_since',
  'key.rotate_reason',
  'agent.id as agent_id',
  'agent.name as agent_name',
  'agent.app_name_id',
  'person.id as person_id',
  'person.name as person_name',
  'person.email as person_email',
] as const

const kind = sql<'chat' | 'acp' | PageSecretKind>`${sql.ref('key.kind')}`.as('kind')

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
    .select(shared)
    .select([
      kind,
      'key.name',
      sql<string | null>`${sql.ref('key.last4')}`.as('last4'),
      'key.created_at',
      'key.last_used_at',
    ])
}

/** Secrets of chat pages that should be replaced, with the same columns. */
function pageSecretsToRotate(reader: Reader) {
  return reader
    .selectFrom('known_secrets as key')
    .innerJoin('agents as agent', 'agent.id', 'key.agent_id')
    .innerJoin('workspaces as workspace', 'workspace.id', 'key.workspace_id')
    .innerJoin('users as person', 'person.id', 'key.user_id')
    .where('key.rotate_since', 'is not', null)
    .where('agent.deleted_at', 'is', null)
    .where('workspace.deleted_at', 'is', null)
    .select(shared)
    .select([
      kind,
      'agent.name',
      sql<string | null>`cast(null as text)`.as('last4'),
      'key.shown_at as created_at',
      sql<number | null>`cast(null as bigint)`.as('last_used_at'),
    ])
}

export type RotationRow = Awaited<ReturnType<typeof listKeysToRotate>>[number]

/** Newest first. */
export function listKeysToRotate(
  reader: Reader,
  filter: { readonly workspaceId: string; readonly now: number },
  page: { readonly limit: number; readonly before: string | undefined },
) {
  let keys = keysToRotate(reader, filter.now).where('key.workspace_id', '=', filter.workspaceId)
  let secrets = pageSecretsToRotate(reader).where('key.workspace_id', '=', filter.workspaceId)
  if (page.before !== undefined) {
    keys = keys.where('key.id', '<', page.before)
    secrets = secrets.where('key.id', '<', page.before)
  }
  return keys.unionAll(secrets).orderBy('id', 'desc').limit(page.limit).execute()
}

/** A person in one workspace or in all. */
interface Knowing {
  readonly userId: string
  readonly workspaceId?: string
}

export function listKeysToRotateOf(reader: Reader, { userId, workspaceId }: Knowing, now: number) {
  let keys = keysToRotate(reader, now).where('key.user_id', '=', userId)
  let secrets = pageSecretsToRotate(reader).where('key.user_id', '=', userId)
  if (workspaceId !== undefined) {
    keys = keys.where('key.workspace_id', '=', workspaceId)
    secrets = secrets.where('key.workspace_id', '=', workspaceId)
  }
  return keys.unionAll(secrets).orderBy('id', 'desc').execute()
}

/** Marks the keys and secrets that a person knows; one that is marked already keeps its first reason. */
export async function markForRotation(
  tx: Tx,
  { userId, workspaceId }: Knowing,
  mark: { readonly rotate_since: number; readonly rotate_reason: string },
): Promise<void> {
  let keys = tx
    .updateTable('api_keys')
    .set(mark)
    .where('user_id', '=', userId)
    .where('kind', 'in', ['chat', 'acp'])
    .where('revoked_at', 'is', null)
    .where('rotate_since', 'is', null)
  let secrets = tx
    .updateTable('known_secrets')
    .set(mark)
    .where('user_id', '=', userId)
    .where('rotate_since', 'is', null)
  if (workspaceId !== undefined) {
    keys = keys.where('workspace_id', '=', workspaceId)
    secrets = secrets.where('workspace_id', '=', workspaceId)
  }
  await keys.execute()
  await secrets.execute()
}

export async function unmark(
  tx: Tx,
  table: 'api_keys' | 'known_secrets',
  id: string,
): Promise<void> {
  await tx
    // Kysely cannot type a choice of tables. Only columns that both have are named here.
    .updateTable(table as 'api_keys')
    .set({ rotate_since: null, rotate_reason: null })
    .where('id', '=', id)
    .execute()
}
