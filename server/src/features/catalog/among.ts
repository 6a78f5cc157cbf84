import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#platform/db/database.ts'

/** A condition on an indexed column by a list of any length, as one parameter. */
export function isAmong(
  engine: Database['engine'],
  column: string,
  values: readonly string[],
): RawBuilder<boolean> {
  const list = JSON.stringify(values)
  return engine === 'sqlite'
    ? sql`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql`${sql.ref(column)} = any (array(select json_array_elements_text(${list}::json)))`
}
