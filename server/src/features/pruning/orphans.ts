import { sql } from 'kysely'
import type { Context } from '#platform/context.ts'
import type { Schema } from '#platform/db/schema.ts'

/**
 * Tables with rows of conversations that an older version does not know: during a rolling upgrade,
 * such a version deletes a conversation without these rows.
 */
const ofSessions = [
  'chat_responses',
  'response_runs',
  'response_texts',
  'conversation_metadata',
] as const satisfies readonly (keyof Schema)[]

/** The most conversations of which one unit deletes rows. */
const sessionsAtOnce = 50

type OfSession = (typeof ofSessions)[number]

/** Deletes rows whose conversation was deleted. @returns how many conversations they belonged to */
export async function deleteOrphans(
  { db }: Pick<Context, 'db'>,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  for (const table of ofSessions)
    for (let last = sessionsAtOnce; last === sessionsAtOnce && !signal.aborted; count += last) {
      const ids = await findOrphans(db, table)
      last = ids.length
      if (last === 0) break
      await db.write((tx) =>
        sql`delete from ${sql.table(table)} where session_id in (${sql.join(ids)})
          and ${isOrphan(table)}`.execute(tx),
      )
    }
  return count
}

async function findOrphans({ scan }: Context['db'], table: OfSession): Promise<string[]> {
  const { rows } = await sql<{ session_id: string }>`
    select distinct session_id from ${sql.table(table)} where ${isOrphan(table)}
    limit ${sql.lit(sessionsAtOnce)}
  `.execute(scan)
  return rows.map(({ session_id: id }) => id)
}

function isOrphan(table: OfSession) {
  return sql`not exists (select 1 from chat_sessions where id = ${sql.ref(`${table}.session_id`)})`
}
