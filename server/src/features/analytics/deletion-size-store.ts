import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import { messageBytes } from './counted-rows-store.ts'

/** What one unit deletes of conversations. On SQLite, all other writes wait for it. */
export const mostOfUnit = { rows: 200, bytes: 4_000_000 }

/**
 * The first of some conversations that a unit could delete, by their numbers of messages: at least one.
 * Measuring all would read thousands of messages for the few that fit.
 */
export async function listFirstByCount(
  reader: Reader,
  sessionIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('chat_sessions')
    .select(['id', 'message_count'])
    .where('id', 'in', sessionIds)
    .execute()
  const counts = new Map(rows.map((row) => [row.id, row.message_count]))
  let messages = 0
  const beyond = sessionIds.findIndex((id) => (messages += counts.get(id) ?? 0) > mostOfUnit.rows)
  return beyond === -1 ? sessionIds : sessionIds.slice(0, Math.max(1, beyond))
}

/** How much of conversations a unit would delete. Those with too many messages are not looked at. */
export async function measureSessions(reader: Reader, sessionIds: readonly string[]) {
  const { rows: most } = mostOfUnit
  const { rows } = await sql<{ id: string; rows: number; bytes: number }>`
    select session.id,
      case when session.message_count > ${sql.lit(most)} then session.message_count else (
        select count(*) from chat_messages as message where message.session_id = session.id
      ) + (
        select count(*) from (
          select 1 from action_calls as call where call.session_id = session.id
          limit ${sql.lit(most + 1)}
        ) as calls
      ) end as rows,
      case when session.message_count > ${sql.lit(most)} then 0 else (
        select coalesce(sum(${messageBytes}), 0) from chat_messages as message
        where message.session_id = session.id
      ) end as bytes
    from chat_sessions as session where session.id in (${sql.join([...sessionIds])})
  `.execute(reader)
  return new Map(rows.map((row) => [row.id, { rows: Number(row.rows), bytes: Number(row.bytes) }]))
}

/** The number of the first message that one unit can delete together with all after it; null for none. */
export async function findFirstOfUnit(reader: Reader, sessionId: string): Promise<number | null> {
  const { rows } = await sql<{ seq: number; bytes: number }>`
    select message.seq, ${messageBytes} as bytes from chat_messages as message
    where message.session_id = ${sessionId}
    order by message.seq desc limit ${sql.lit(mostOfUnit.rows)}
  `.execute(reader)
  let bytes = 0
  const fitting = rows.filter(
    (row, n) => (bytes += Number(row.bytes)) <= mostOfUnit.bytes || n === 0,
  )
  return fitting.at(-1)?.seq ?? null
}
