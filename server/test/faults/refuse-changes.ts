import { sql } from 'kysely'
import type { Database } from '#platform/db/database.ts'

interface Change {
  readonly table: string
  readonly kind: 'update' | 'delete'
  /** An SQL condition for both engines on the rows `old` and `new`. */
  readonly when: string
}

/**
 * Makes the database reject a change until the returned function is called, so that the work of a
 * service cannot finish before it is killed, however late that is.
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
