import type { Tx } from '#platform/db/database.ts'

const ofResponses = [
  'chat_responses',
  'response_runs',
  'response_texts',
  'conversation_metadata',
] as const

/** A step: deletes sessions, their messages, ratings, waiting turns, partial answers, responses, metadata. */
export async function deleteSessions(tx: Tx, sessionIds: readonly string[]) {
  await tx.deleteFrom('session_waiters').where('session_id', 'in', sessionIds).execute()
  await tx.deleteFrom('partial_answers').where('session_id', 'in', sessionIds).execute()
  for (const table of ofResponses)
    await tx.deleteFrom(table).where('session_id', 'in', sessionIds).execute()
  const ratings = await tx
    .deleteFrom('chat_feedback')
    .where('session_id', 'in', sessionIds)
    .executeTakeFirst()
  const messages = await tx
    .deleteFrom('chat_messages')
    .where('session_id', 'in', sessionIds)
    .executeTakeFirst()
  const conversations = await tx
    .deleteFrom('chat_sessions')
    .where('id', 'in', sessionIds)
    .executeTakeFirst()
  return {
    conversations: Number(conversations.numDeletedRows),
    messages: Number(messages.numDeletedRows),
    ratings: Number(ratings.numDeletedRows),
  }
}
