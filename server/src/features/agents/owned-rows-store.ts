import type { Selectable } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { requireAgent } from './read-agents.ts'

/** Tables whose rows belong to an agent. Their ids are in order of time. */
type OwnedTable = 'custom_actions' | 'knowledge_sources' | 'tool_servers'

type OwnedRow<Table extends OwnedTable> = Selectable<Schema[Table]> & { readonly id: string }

/** Rows of live agents: those of a deleted agent are invisible. */
function liveRows(reader: Reader, table: OwnedTable, id: string) {
  // Kysely cannot type a choice of tables. Only columns that all of them have are named here.
  return reader
    .selectFrom(`${table} as own` as 'knowledge_sources as own')
    .innerJoin('agents as agent', 'agent.id', 'own.agent_id')
    .where('agent.deleted_at', 'is', null)
    .where('own.id', '=', id)
}

/** A row of any workspace, for the job that works on it. */
export function findOwned<Table extends OwnedTable>(
  reader: Reader,
  table: Table,
  id: string,
): Promise<OwnedRow<Table> | undefined> {
  const row = liveRows(reader, table, id).selectAll('own').executeTakeFirst()
  // `*` of the named table.
  return row as Promise<unknown> as Promise<OwnedRow<Table> | undefined>
}

/** @throws Fault record_not_found for a row that is not in the workspace */
export async function requireOwned<Table extends OwnedTable>(
  reader: Reader,
  table: Table,
  workspaceId: string,
  id: string,
): Promise<OwnedRow<Table>> {
  const row = await liveRows(reader, table, id)
    .where('own.workspace_id', '=', workspaceId)
    .selectAll('own')
    .executeTakeFirst()
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  // `*` of the named table.
  return row as unknown as OwnedRow<Table>
}

/** Where a row is, before it is known which workspaces the caller may read. */
export function placeOfOwned({ db }: Pick<Context, 'db'>, table: OwnedTable, id: string) {
  return liveRows(db.read, table, id)
    .select(['own.workspace_id as workspaceId', 'own.agent_id as agentId'])
    .executeTakeFirst()
}

/** Newest first. The agent must have been found in the workspace first. */
export function listOwned<Table extends OwnedTable>(
  reader: Reader,
  table: Table,
  agentId: string,
  page: { readonly limit?: number; readonly before?: string | undefined } = {},
): Promise<OwnedRow<Table>[]> {
  let query = reader
    .selectFrom(`${table} as own` as 'knowledge_sources as own')
    .selectAll('own')
    .where('own.agent_id', '=', agentId)
    .orderBy('own.id', 'desc')
  if (page.before !== undefined) query = query.where('own.id', '<', page.before)
  if (page.limit !== undefined) query = query.limit(page.limit)
  // `*` of the named table.
  return query.execute() as Promise<unknown> as Promise<OwnedRow<Table>[]>
}

/**
 * A page of an agent's rows, newest first.
 *
 * @param appId UUID or `app_name_id`
 * @throws Fault record_not_found for an agent that is not in the workspace
 */
export async function pageOfOwned<Table extends OwnedTable, Item>(
  { db }: Pick<Context, 'db'>,
  table: Table,
  { workspaceId, appId }: { readonly workspaceId: string; readonly appId: string },
  page: PageRequest,
  item: (row: OwnedRow<Table>) => Item,
): Promise<Page<Item>> {
  const agent = await requireAgent(db.read, workspaceId, appId)
  return await pageById(page, (window) => listOwned(db.read, table, agent.id, window), item)
}
