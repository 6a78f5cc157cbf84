import { sql } from 'kysely'
import { dayMs } from '#kernel/durations.ts'
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
  'session_summaries',
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

/**
 * Deletes conversations that were created a day ago and never got a message, unless a background response
 * waits to be answered in one. What belongs to them is then deleted as orphans.
 */
export async function deleteEmptySessions(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  for (let last = sessionsAtOnce; last === sessionsAtOnce && !signal.aborted;) {
    const before = clock.now() - dayMs
    const ids = await findEmpty(db, before)
    last = ids.length
    if (last === 0) return
    await db.write((tx) =>
      sql`delete from chat_sessions where id in (${sql.join(ids)}) and ${isEmpty(before)}`.execute(
        tx,
      ),
    )
  }
}

/** Only the Responses API creates sessions without messages, and always with one of these rows. */
async function findEmpty({ scan }: Context['db'], before: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from chat_sessions
    where id in (
      select session_id from conversation_metadata
      union select session_id from chat_responses where message_id is null
    ) and ${isEmpty(before)}
    limit ${sql.lit(sessionsAtOnce)}
  `.execute(scan)
  return rows.map(({ id }) => id)
}

function isEmpty(before: number) {
  return sql`message_count = 0 and created_at < ${before} and lease_token is null
    and not exists (select 1 from response_runs where session_id = chat_sessions.id)`
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
