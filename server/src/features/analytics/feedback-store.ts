import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/database.ts'

type FeedbackRow = Selectable<Schema['chat_feedback']>

export interface AnswerRow {
  readonly id: string
  readonly created_at: number
  readonly source: string
}

/** The agent of a conversation; undefined if the workspace has no such conversation. */
export async function findAgentOfSession(
  tx: Tx,
  workspaceId: string,
  sessionId: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('chat_sessions')
    .select('agent_id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row?.agent_id
}

/** An answer of a conversation; the last one if no message is named. */
export async function findAnswer(
  tx: Tx,
  sessionId: string,
  messageId: string | null,
): Promise<AnswerRow | undefined> {
  let query = tx
    .selectFrom('chat_messages as message')
    .innerJoin('chat_sessions as session', 'session.id', 'message.session_id')
    .select(['message.id', 'message.created_at', 'session.source'])
    .where('message.session_id', '=', sessionId)
    .where('message.role', '=', 'assistant')
    .orderBy('message.seq', 'desc')
    .limit(1)
  if (messageId !== null) query = query.where('message.id', '=', messageId)
  return await query.executeTakeFirst()
}

export async function findFeedback(tx: Tx, messageId: string): Promise<FeedbackRow | undefined> {
  return await tx
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
