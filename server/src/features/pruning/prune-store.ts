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
  { table, key = ['id'], where }: Pruned,
  endedBefore: number,
  limit: number,
): Promise<number> {
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const { rows } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${where(endedBefore)} limit ${sql.lit(limit)}
    )
    returning 1
  `.execute(tx)
  return rows.length
}
