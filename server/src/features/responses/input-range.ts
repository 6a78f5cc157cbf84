import type { Context } from '#platform/context.ts'
import type { StoredResponse } from './find-response.ts'
import type { ItemRange } from './item-store.ts'
import { findNextFirstSeq } from './response-store.ts'

/** The messages of a response's request; null while they are not stored. */
export async function inputRange(
  { db }: Pick<Context, 'db'>,
  { sessionId, firstSeq: first, messageId, answer }: StoredResponse,
): Promise<ItemRange | null> {
  if (messageId === null) return null
  // Without an answer, it ends where a later response begins.
  const end = answer?.seq ?? (await findNextFirstSeq(db.read, sessionId, first))
  return { sessionId, first, ...(end === undefined ? {} : { end }) }
}
