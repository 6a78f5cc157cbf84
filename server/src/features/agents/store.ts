import { sql, type Selectable, type Updateable } from 'kysely'
import { isUuid } from '#kernel/ids.ts'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type AgentRow = Omit<Selectable<Schema['agents']>, 'purged_at'>
export type AgentVersionRow = Selectable<Schema['agent_versions']>

/** More than one only after an upgrade, or when the number is lowered. */
const versionsAtOnce = 100

/** Live agents by UUID or `app_name_id`, of any workspace. */
function liveAgents(reader: Reader, appId: string) {
  const column = isUuid(appId) ? 'agents.id' : 'agents.app_name_id'
  return reader
    .selectFrom('agents')
    .where(column, '=', appId.toLowerCase())
    .where('agents.deleted_at', 'is', null)
}

export function findAgent(reader: Reader, workspaceId: string, appId: string) {
  return liveAgents(reader, appId)
    .selectAll()
    .where('agents.workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

/** Where an agent is, read before the caller's access is known. */
export function findAgentPlace(reader: Reader, appId: string) {
  return liveAgents(reader, appId)
    .select(['agents.workspace_id as workspaceId', 'agents.id as agentId'])
    .executeTakeFirst()
}

/** Which agents a list has; undefined for all. */
export interface AgentFilter {
  readonly workspaceId: string
  readonly among?: readonly string[] | undefined
  /** A part of the name or of the `app_name_id`, in any letter case. */
  readonly query?: string | undefined
  /** '' for the agents that are in no folder. */
  readonly folder?: string | undefined
}

function filteredAgents(reader: Reader, { workspaceId, among, query: part, folder }: AgentFilter) {
  let query = reader
    .selectFrom('agents')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
  if (among !== undefined) query = query.where('id', 'in', among)
  if (folder !== undefined) query = query.where('folder', '=', folder)
  if (part === undefined) return query
  const pattern = `%${part.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const holds = (column: 'name' | 'app_name_id') =>
    sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
  return query.where((e) => e.or([holds('name'), holds('app_name_id')]))
}

/** Newest first, because ids are in order of time. */
export function listAgentRows(
  reader: Reader,
  filter: AgentFilter,
  page: { limit: number; before: string | undefined },
) {
  let query = filteredAgents(reader, filter).orderBy('id', 'desc').limit(page.limit)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}

/** By name in any letter case, then by id. */
export function listAgentRowsByName(
  reader: Reader,
  filter: AgentFilter,
  page: { limit: number; after: readonly [name: string, id: string] | undefined },
) {
  const folded = sql<string>`lower(name)`
  let query = filteredAgents(reader, filter)
    .select(folded.as('folded_name'))
    .orderBy(folded)
    .orderBy('id')
    .limit(page.limit)
  if (page.after !== undefined) {
    const [name, id] = page.after
    query = query.where((e) =>
      e.or([e(folded, '>', name), e.and([e(folded, '=', name), e('id', '>', id)])]),
    )
  }
  return query.execute()
}

export async function listFolderRows(reader: Reader, workspaceId: string) {
  return await reader
    .selectFrom('agents')
    .select((e) => ['folder as name', e.fn.countAll<number>().as('agents')])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .groupBy('folder')
    .execute()
}

/** A step: moves the live agents of a workspace that have one of the ids. */
export async function updateFolder(
  tx: Tx,
  workspaceId: string,
  { appIds, folder }: { readonly appIds: readonly string[]; readonly folder: string },
) {
  return await tx
    .updateTable('agents')
    .set({ folder })
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where((e) => e.or([e('id', 'in', appIds), e('app_name_id', 'in', appIds)]))
    .returning(['id', 'app_name_id'])
    .execute()
}

/** The model ids of the live agents of all workspaces, with the agents that have each. */
export function listModelUse(reader: Reader, engine: Engine) {
  const model =
    engine === 'postgres'
      ? sql<string>`settings_json::json ->> 'model'`
      : sql<string>`settings_json ->> 'model'`
  return reader
    .selectFrom('agents')
    .select(['app_name_id as appNameId', model.as('model')])
    .where('deleted_at', 'is', null)
    .orderBy('number')
    .execute()
}

export async function countAgents(reader: Reader, workspaceId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('agents')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** The next number of the sequence that all agents share; a failed unit returns its number. */
export async function takeAgentNumber(tx: Tx): Promise<number> {
  const { next_value } = await tx
    .updateTable('sequences')
    .set((e) => ({ next_value: e('next_value', '+', 1) }))
    .where('name', '=', 'agent_number')
    .returning('next_value')
    .executeTakeFirstOrThrow()
  return next_value - 1
}

export async function insertAgent(tx: Tx, row: AgentRow): Promise<void> {
  await tx.insertInto('agents').values(row).execute()
}

/** Shows an agent that was stored as deleted. */
export function showAgentRow(tx: Tx, agentId: string) {
  return tx
    .updateTable('agents')
    .set({ deleted_at: null })
    .where('id', '=', agentId)
    .where('purged_at', 'is', null)
    .returning(['version', 'settings_json', 'created_at'])
    .executeTakeFirst()
}

/** A step: removes an agent that was never shown and owns nothing; one that was shown stays. */
export async function removeHiddenAgent(tx: Tx, agentId: string): Promise<void> {
  await tx
    .deleteFrom('agents')
    .where('id', '=', agentId)
    .where('deleted_at', 'is not', null)
    .execute()
}

export async function updateAgentRow(
  tx: Tx,
  agentId: string,
  change: Updateable<Schema['agents']>,
): Promise<void> {
  await tx.updateTable('agents').set(change).where('id', '=', agentId).execute()
}

export async function insertVersion(tx: Tx, row: AgentVersionRow): Promise<void> {
  await tx.insertInto('agent_versions').values(row).execute()
}

/** Deletes the oldest versions beyond a number, some at a time; never the newest, which answers. */
export async function deleteOldestVersions(
  tx: Tx,
  { agentId, newest }: { readonly agentId: string; readonly newest: number },
  kept: number,
): Promise<void> {
  await tx
    .deleteFrom('agent_versions')
    .where('agent_id', '=', agentId)
    .where('version', 'in', (e) =>
      e
        .selectFrom('agent_versions')
        .select('version')
        .where('agent_id', '=', agentId)
        .where('version', '<=', newest - kept)
        .orderBy('version')
        .limit(versionsAtOnce),
    )
    .execute()
}

/** The agent itself must have been found in the caller's workspace first. */
export function findVersion(reader: Reader, agentId: string, version: number) {
  return reader
    .selectFrom('agent_versions')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Newest first. The agent itself must have been found in the caller's workspace first. */
export function listVersionRows(
  reader: Reader,
  agentId: string,
  page: { limit: number; before: number | undefined },
) {
  let query = reader
    .selectFrom('agent_versions')
    .innerJoin('users', 'users.id', 'agent_versions.author_id')
    .selectAll('agent_versions')
    .select(['users.name as author_name', 'users.email as author_email'])
    .where('agent_id', '=', agentId)
    .orderBy('version', 'desc')
    .limit(page.limit)
  if (page.before !== undefined) query = query.where('version', '<', page.before)
  return query.execute()
}
