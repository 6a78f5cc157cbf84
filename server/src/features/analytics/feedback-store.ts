import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/database.ts'

type FeedbackRow = Selectable<Schema['chat_feedback']>

/** The agent of a conversation; undefined if the workspace has no such conversation. */
export async function findAgentOfSession(tx: Tx, workspaceId: string, sessionId: string) {
  const row = await tx
    .selectFrom('chat_sessions')
    .select('agent_id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row?.agent_id
}

/** An answer of a conversation; the last one if no message is named. */
export function findAnswer(tx: Tx, sessionId: string, messageId: string | null) {
  let query = tx
    .selectFrom('chat_messages as message')
    .innerJoin('chat_sessions as session', 'session.id', 'message.session_id')
    .select(['message.id', 'message.created_at', 'session.source'])
    .where('message.session_id', '=', sessionId)
    .where('message.role', '=', 'assistant')
    .orderBy('message.seq', 'desc')
    .limit(1)
  if (messageId !== null) query = query.where('message.id', '=', messageId)
  return query.executeTakeFirst()
}

export function findFeedback(tx: Tx, messageId: string) {
  return tx
    .selectFrom('chat_feedback')
    .selectAll()
    .where('message_id', '=', messageId)
    .executeTakeFirst()
}

export async function deleteFeedback(tx: Tx, messageId: string): Promise<void> {
  await tx.deleteFrom('chat_feedback').where('message_id', '=', messageId).execute()
}

export async function insertFeedback(tx: Tx, row: FeedbackRow): Promise<void> {
  await tx.insertInto('chat_feedback').values(row).execute()
}
