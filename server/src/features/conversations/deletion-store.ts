import type { Tx } from '#platform/db/database.ts'

export interface DeletedRows {
  readonly conversations: number
  readonly messages: number
  readonly ratings: number
  readonly actionCalls: number
}

const ofSessions = [
  'chat_responses',
  'response_runs',
  'response_texts',
  'conversation_metadata',
  'session_summaries',
] as const

/** A step: deletes sessions and the rows of all tables that belong to them. */
export async function deleteSessions(tx: Tx, sessionIds: readonly string[]) {
  await tx.deleteFrom('session_waiters').where('session_id', 'in', sessionIds).execute()
  await tx.deleteFrom('partial_answers').where('session_id', 'in', sessionIds).execute()
  for (const table of ofSessions)
    await tx.deleteFrom(table).where('session_id', 'in', sessionIds).execute()
  const messages = await tx
    .deleteFrom('chat_messages')
    .where('session_id', 'in', sessionIds)
    .executeTakeFirst()
  const conversations = await tx
    .deleteFrom('chat_sessions')
    .where('id', 'in', sessionIds)
    .executeTakeFirst()
  // Last: a trigger would update their session.
  const ratings = await tx
    .deleteFrom('chat_feedback')
    .where('session_id', 'in', sessionIds)
    .executeTakeFirst()
  return {
    conversations: Number(conversations.numDeletedRows),
    messages: Number(messages.numDeletedRows),
    ratings: Number(ratings.numDeletedRows),
  }
}
