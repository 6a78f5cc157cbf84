import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'

/** The channel of visitors. An end user of an API may have the same name, but those conversations are the caller's. */
const channel = 'page'

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

export async function moveVisitorRows(
  tx: Tx,
  { agentId, from, to }: { readonly agentId: string; readonly from: string; readonly to: string },
): Promise<void> {
  await tx
    .updateTable('chat_sessions')
    .set({ end_user: to })
    .where('agent_id', '=', agentId)
    .where('end_user', '=', from)
    .where('source', '=', channel)
    .execute()
}
