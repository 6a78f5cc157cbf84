import { sql, type Insertable, type Kysely } from 'kysely'
import { lastDigits } from '#kernel/ids.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** The channel of visitors. An end user of an API may have the same name, but those conversations are the caller's. */
const channel = 'page'

/** As in the index of end users. */
const digits = sql`substr(agent_id, 30)`

/** Characters of a question that a list shows. */
const shownOfQuestion = 80

/** Newest first, by the index of end users. */
export function listVisitorRows(
  reader: Reader,
  of: { readonly agentId: string; readonly endUser: string; readonly limit: number },
) {
  return reader
    .selectFrom('chat_sessions')
    .select(['id', 'created_at', 'last_message_at'])
    .select(
      sql<string | null>`(
        select substr(asked.content, 1, ${sql.lit(shownOfQuestion)}) from chat_messages as asked
        where asked.session_id = chat_sessions.id and asked.role = 'user'
        order by asked.seq limit 1
      )`.as('question'),
    )
    .where('agent_id', '=', of.agentId)
    .where(digits, '=', lastDigits(of.agentId))
    .where('end_user', '=', of.endUser)
    .where('source', '=', channel)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(of.limit)
    .execute()
}

export async function hasVisitorRow(
  reader: Reader,
  of: { readonly agentId: string; readonly endUser: string; readonly id: string },
): Promise<boolean> {
  const row = await reader
    .selectFrom('chat_sessions')
    .select('id')
    .where('id', '=', of.id)
    .where('agent_id', '=', of.agentId)
    .where('end_user', '=', of.endUser)
    .where('source', '=', channel)
    .executeTakeFirst()
  return row !== undefined
}

/** A step: moves some conversations. @returns how many, at most `limit` */
export async function moveVisitorRows(
  tx: Tx,
  { agentId, from, to }: { readonly agentId: string; readonly from: string; readonly to: string },
  limit: number,
): Promise<number> {
  const some = tx
    .selectFrom('chat_sessions')
    .select('id')
    .where('agent_id', '=', agentId)
    .where(digits, '=', lastDigits(agentId))
    .where('end_user', '=', from)
    .where('source', '=', channel)
    .limit(limit)
  const moved = await tx
    .updateTable('chat_sessions')
    .set({ end_user: to })
    .where('id', 'in', some)
    .executeTakeFirst()
  return Number(moved.numUpdatedRows)
}

/** The person whom an anonymous visitor has turned out to be. Read with each request of a widget. */
export const personOfVisitor = (
  db: Kysely<Schema>,
  given: { readonly agent_id: string; readonly visitor: string },
) =>
  db
    .selectFrom('joined_visitors')
    .select('end_user')
    .where('agent_id', '=', given.agent_id)
    .where('visitor', '=', given.visitor)

/** A step: keeps who a visitor is. Who was identified first stays the person. */
export async function insertJoined(
  tx: Tx,
  row: Insertable<Schema['joined_visitors']>,
): Promise<void> {
  await tx
    .insertInto('joined_visitors')
    .values(row)
    .onConflict((conflict) => conflict.columns(['agent_id', 'visitor']).doNothing())
    .execute()
}

/** A step: forgets that a visitor was a person; `endUser` is either. */
export async function deleteJoined(tx: Tx, agentId: string, endUser: string): Promise<void> {
  await tx
    .deleteFrom('joined_visitors')
    .where('agent_id', '=', agentId)
    .where((row) => row.or([row('visitor', '=', endUser), row('end_user', '=', endUser)]))
    .execute()
}
