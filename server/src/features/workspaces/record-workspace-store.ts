import type { Context } from '#platform/context.ts'

/** Records that people name by an id alone, which is unique across workspaces. */
type NamedTable =
  | 'api_keys'
  | 'chat_sessions'
  | 'orders'
  | 'products'
  | 'webhook_deliveries'
  | 'webhook_endpoints'

/** Deleted rows of these tables remain. */
const withDeletedRows: ReadonlySet<NamedTable> = new Set(['products', 'webhook_endpoints'])

/**
 * The workspace of a record, before it is known which workspaces the caller may read; undefined if
 * no live record has the id.
 */
export async function workspaceOfRecord(
  { db }: Pick<Context, 'db'>,
  table: NamedTable,
  id: string,
): Promise<string | undefined> {
  // Kysely cannot type a choice of tables. Only columns that all of them have are named here.
  let query = db.read
    .selectFrom(table as 'products')
    .select('workspace_id')
    .where('id', '=', id)
  if (withDeletedRows.has(table)) query = query.where('deleted_at', 'is', null)
  const row = await query.executeTakeFirst()
  return row?.workspace_id
}
