import { deleteMessageCalls } from '#features/tool-calls/index.ts'
import type { Tx } from '#platform/db/database.ts'
import { deleteSummaryOf } from './summary-store.ts'

/** A step: a session has further messages. */
export async function countAdded(
  tx: Tx,
  sessionId: string,
  { messageCount, now }: { readonly messageCount: number; readonly now: number },
): Promise<void> {
  await tx
    .updateTable('chat_sessions')
    .set({ message_count: messageCount, last_message_at: now })
    .where('id', '=', sessionId)
    .execute()
}

/** The `finish_reason` of a message whose content was deleted: it did not fail. */
export const deletedMessage = 'deleted'

/**
 * A step: deletes the content of messages. Their rows stay, because message numbers have no gaps,
 * and the messages are still counted. A summary that was made from one of them is deleted as well, as are
 * the calls of the agent's tools and the words of a rating, but not the rating itself.
 */
export async function blankMessages(
  tx: Tx,
  sessionId: string,
  messageIds: readonly string[],
): Promise<void> {
  await deleteSummaryOf(tx, sessionId, messageIds)
  await deleteMessageCalls(tx, sessionId, messageIds)
  await tx
    .updateTable('chat_feedback')
    .set({ comment: null })
    .where('session_id', '=', sessionId)
    .where('message_id', 'in', messageIds)
    .execute()
  await tx
    .updateTable('chat_messages')
    .set({
      content: '',
      parts_json: null,
      calls_json: null,
      citations_json: null,
      reasoning: null,
      finish_reason: deletedMessage,
    })
    .where('session_id', '=', sessionId)
    .where('id', 'in', messageIds)
    .execute()
}
