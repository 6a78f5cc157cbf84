import { deletedMessage, type TranscriptMessage } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { findResponseOfAnswer, type Place } from './response-store.ts'
import { readStoredCalls, type ItemName } from './stored-item.ts'

/** The text or a call of a response's answer, by its id; null if no response of the agent has it. */
export async function findItem(
  { db }: Pick<Context, 'db'>,
  place: Place,
  { messageId, call }: ItemName,
): Promise<TranscriptMessage | null> {
  const found = await findResponseOfAnswer(db.read, place, messageId)
  if (found === undefined || found.content === null) return null
  const { content, answer_error: error, finish_reason: reason } = found
  // It was deleted, or failed before its first word.
  if (content === '' && (error !== null || reason === deletedMessage)) return null
  if (call === null) return { role: 'assistant', content }
  const made = readStoredCalls(found.calls_json).toolCalls?.[call]
  return made === undefined ? null : { role: 'assistant', content: '', toolCalls: [made] }
}
