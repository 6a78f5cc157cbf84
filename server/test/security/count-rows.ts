import { sql } from 'kysely'
import type { Database } from '#platform/db/database.ts'
import { withoutPartitions } from '#test/support/databases/without-partitions.ts'

/** How many rows each table has. */
export async function countRows(
  db: Database,
  except: readonly string[] = [],
): Promise<Readonly<Record<string, number>>> {
  const names =
    db.engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'
          and name not like 'sqlite_%' and name not like '%index_%'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema()
          and ${withoutPartitions}`
  const { rows } = await names.execute(db.read)
  const counts = rows
    .filter(({ name }) => !except.includes(name))
    .map(async ({ name }) => {
      const query = sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`
      return [name, Number((await query.execute(db.read)).rows[0]?.count)] as const
    })
  return Object.fromEntries(await Promise.all(counts))
}
