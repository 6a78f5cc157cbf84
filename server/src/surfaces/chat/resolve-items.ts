import { findItem, openCompaction, type Place } from '#features/responses/index.ts'
import { readFilesAlone, type TranscriptMessage } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { invalid } from './chat-request-faults.ts'
import type { InputItem } from './read-items.ts'

/**
 * The messages of an input that no turn answers now, with the text of their files.
 *
 * @param store whether the messages are stored
 * @throws as resolveItems and readFilesAlone
 */
export async function resolveWithFiles(
  ctx: Context,
  reader: Parameters<typeof readFilesAlone>[1],
  items: readonly InputItem[],
  signal: AbortSignal,
): Promise<readonly TranscriptMessage[]> {
  const { id: agentId, workspaceId } = reader.agent
  const messages = await resolveItems(ctx, { workspaceId, agentId }, items)
  return await readFilesAlone(ctx, reader, messages, signal)
}

/**
 * The messages of an input, with those that it names by their ids. In an input, the calls of an answer are
 * items of their own, but they belong to one message.
 *
 * @throws Fault request_invalid: no answer of this agent has the id; a compaction of another agent
 */
export async function resolveItems(
  ctx: Pick<Context, 'db' | 'vault'>,
  place: Place,
  items: readonly InputItem[],
): Promise<readonly TranscriptMessage[]> {
  const messages: TranscriptMessage[] = []
  for (const item of items) {
    const message = await resolve(ctx, place, item)
    const last = messages.at(-1)
    const joined = last === undefined ? null : joinCalls(last, message)
    if (joined === null) messages.push(message)
    else messages[messages.length - 1] = joined
  }
  return messages
}

/** A message with further calls, or null if `next` is a message of its own. */
function joinCalls(last: TranscriptMessage, next: TranscriptMessage): TranscriptMessage | null {
  const isCall = next.toolCalls !== undefined && next.content === ''
  if (!isCall || last.role !== 'assistant') return null
  return { ...last, toolCalls: [...(last.toolCalls ?? []), ...(next.toolCalls ?? [])] }
}

async function resolve(
  ctx: Pick<Context, 'db' | 'vault'>,
  place: Place,
  item: InputItem,
): Promise<TranscriptMessage> {
  if ('compaction' in item) {
    const summary = openCompaction(ctx, place, item.compaction)
    if (summary === null) throw invalid(`\`${item.at}\` must be of a compaction of this agent`)
    return summary
  }
  if (!('reference' in item)) return item
  const found = await findItem(ctx, place, item.reference)
  if (found === null) throw invalid(`\`${item.at}\` must be the id of an item of a response`)
  return found
}
