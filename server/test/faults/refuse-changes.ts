import { sql } from 'kysely'
import type { Database } from '#platform/db/database.ts'

interface Change {
  readonly table: string
  readonly kind: 'update' | 'delete'
  /** SQL of both engines, of the rows `old` and `new`. */
  readonly when: string
}

/**
 * Has the database refuse a change until it is let go: so that what a service does cannot be over
 * before it is killed, however late the kill comes.
 */
export async function refuseChanges(
  { engine, write }: Database,
  { table, kind, when }: Change,
): Promise<() => Promise<void>> {
  const trigger = `create trigger fence before ${kind} on ${table} for each row when (${when})`
  const [make, drop] =
    engine === 'sqlite'
      ? [[`${trigger} begin select raise(abort, 'refused'); end`], ['drop trigger fence']]
      : [
          [
            `create function fence() returns trigger language plpgsql
              as $$ begin raise exception 'refused'; end $$`,
            `${trigger} execute function fence()`,
          ],
          [`drop trigger fence on ${table}`, 'drop function fence()'],
        ]
  const run = (statements: readonly string[]) =>
    write(async (tx) => {
      for (const statement of statements) await sql.raw(statement).execute(tx)
    })
  await run(make)
  return () => run(drop)
}
