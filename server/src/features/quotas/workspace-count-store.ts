import type { Reader } from '#platform/db/database.ts'

/** The workspaces that count for a person: live ones, and deleted ones that are not purged yet. */
export async function countWorkspacesOf(
  reader: Reader,
  userId: string,
): Promise<{ readonly live: number; readonly deleted: number }> {
  const rows = await reader
    .selectFrom('workspaces')
    .select('deleted_at')
    .where('billing_user_id', '=', userId)
    .execute()
  const deleted = rows.filter(({ deleted_at }) => deleted_at !== null).length
  return { live: rows.length - deleted, deleted }
}
