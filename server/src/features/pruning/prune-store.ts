import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Pruned } from './prune-plan.ts'

/**
 * Deletes some rows that ended before a time. Like the purge of workspaces, it writes tables of other
 * features, because no feature uses these rows any more.
 *
 * @returns how many
 */
export async function deleteEnded(
  tx: Tx,
  { table, where }: Pruned,
  endedBefore: number,
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where ${where(endedBefore)} limit ${sql.lit(limit)}
    )
    returning id
  `.execute(tx)
  return rows.length
}
