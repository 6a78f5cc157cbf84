import { sql } from 'kysely'

/**
 * A condition on `information_schema` of PostgreSQL, whose `table_name` must not be ambiguous: partitions are left
 * out, because their table has the same rows.
 */
export const withoutPartitions = sql<boolean>`table_name not in (
  select relname from pg_class
  where relispartition and relnamespace = current_schema()::regnamespace)`
