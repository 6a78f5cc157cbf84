import type { Selectable } from 'kysely'
import type { ToolServersTable } from '#platform/db/actions-schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type ToolServerRow = Selectable<ToolServersTable>

/** Servers of live agents: those of a deleted one are out of everybody's sight. */
function liveServers(reader: Reader) {
  return reader
    .selectFrom('tool_servers as server')
    .innerJoin('agents as agent', 'agent.id', 'server.agent_id')
    .where('agent.deleted_at', 'is', null)
}

export function findToolServer(
  reader: Reader,
  workspaceId: string,
  serverId: string,
): Promise<ToolServerRow | undefined> {
  return liveServers(reader)
    .selectAll('server')
    .where('server.id', '=', serverId)
    .where('server.workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

/** Which workspace a server is in: asked before it is known where the caller may look. */
export async function findToolServerWorkspace(
  reader: Reader,
  serverId: string,
): Promise<string | undefined> {
  const row = await liveServers(reader)
    .select('server.workspace_id')
    .where('server.id', '=', serverId)
    .executeTakeFirst()
  return row?.workspace_id
}

/** Oldest first. The agent must have been found in the workspace first. */
export function listToolServerRows(
  reader: Reader,
  agentId: string,
  page: { readonly limit?: number; readonly after?: string | undefined } = {},
): Promise<ToolServerRow[]> {
  let query = reader
    .selectFrom('tool_servers')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('id')
  if (page.after !== undefined) query = query.where('id', '>', page.after)
  if (page.limit !== undefined) query = query.limit(page.limit)
  return query.execute()
}

export async function insertToolServer(tx: Tx, row: ToolServerRow): Promise<void> {
  await tx.insertInto('tool_servers').values(row).execute()
}

/** What a server said of its tools, or that it did not. */
export async function updateListing(
  tx: Tx,
  serverId: string,
  change: Pick<ToolServerRow, 'listed_at' | 'error_code'> & { readonly tools_json?: string },
): Promise<void> {
  await tx.updateTable('tool_servers').set(change).where('id', '=', serverId).execute()
}

export async function deleteToolServerRow(tx: Tx, serverId: string): Promise<void> {
  await tx.deleteFrom('tool_servers').where('id', '=', serverId).execute()
}

/** Whether an agent has any. The turn of a chat key reads the same itself. */
export async function hasToolServers(reader: Reader, agentId: string): Promise<boolean> {
  const server = await reader
    .selectFrom('tool_servers')
    .select('id')
    .where('agent_id', '=', agentId)
    .limit(1)
    .executeTakeFirst()
  return server !== undefined
}
