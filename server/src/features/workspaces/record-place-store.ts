import type { Place } from '#kernel/reach.ts'
import type { Context } from '#platform/context.ts'

/** Records that people name by an id alone, which is unique across workspaces. */
type NamedTable =
  | 'api_keys'
  | 'chat_sessions'
  | 'known_secrets'
  | 'orders'
  | 'products'
  | 'webhook_deliveries'
  | 'webhook_endpoints'

/** Deleted rows of these tables remain. */
const withDeletedRows: ReadonlySet<NamedTable> = new Set(['products', 'webhook_endpoints'])

/**
 * Where a record is, before it is known which workspaces the caller may read; undefined if no live
 * record has the id.
 */
export async function placeOfRecord(
  { db }: Pick<Context, 'db'>,
  table: NamedTable,
  id: string,
): Promise<Place | undefined> {
  // Kysely cannot type a choice of tables. Only columns that all of them have are named here.
  let query = db.read
    .selectFrom(table as 'products')
    .select(['workspace_id as workspaceId', 'agent_id as agentId'])
    .where('id', '=', id)
  if (withDeletedRows.has(table)) query = query.where('deleted_at', 'is', null)
  return await query.executeTakeFirst()
}
