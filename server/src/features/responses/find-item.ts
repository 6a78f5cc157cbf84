import type { Context } from '#platform/context.ts'
import { findResponseOfAnswer, type Place } from './response-store.ts'

/** The text of a response's message, by the message's id; null if no response of the agent has it. */
export async function findItem(
  { db }: Pick<Context, 'db'>,
  place: Place,
  messageId: string,
): Promise<string | null> {
  return (await findResponseOfAnswer(db.read, place, messageId))?.content ?? null
}
