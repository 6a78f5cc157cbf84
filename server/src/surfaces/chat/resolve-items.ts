import { findItem, type Place } from '#features/responses/index.ts'
import type { TranscriptMessage } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { invalid } from './chat-request-faults.ts'
import type { InputItem } from './read-items.ts'

/**
 * The messages of an input, with those that it names by their ids.
 *
 * @throws Fault request_invalid: no answer of this agent has the id
 */
export async function resolveItems(
  ctx: Pick<Context, 'db'>,
  place: Place,
  items: readonly InputItem[],
): Promise<readonly TranscriptMessage[]> {
  const messages: TranscriptMessage[] = []
  for (const item of items) messages.push('at' in item ? await read(ctx, place, item) : item)
  return messages
}

async function read(
  ctx: Pick<Context, 'db'>,
  place: Place,
  { reference, at }: { readonly reference: string; readonly at: string },
): Promise<TranscriptMessage> {
  const text = await findItem(ctx, place, reference)
  if (text === null) throw invalid(`\`${at}\` must be the id of a message of a response`)
  return { role: 'assistant', content: text }
}
