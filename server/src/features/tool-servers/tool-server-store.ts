import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type ToolServerRow = Selectable<Schema['tool_servers']>

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

/** Stores the result of listing a server's tools. */
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
