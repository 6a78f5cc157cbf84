import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { storedCall, type StoredCall } from './action-call.ts'
import { listCallSizes, listCallsOfMessages } from './call-store.ts'

interface Answer {
  readonly session_id: string
  readonly message_id: string
}

/** The calls of several answers are read together up to this size. */
const bytesAtOnce = 256 * 1024

/**
 * Reads the calls of a page of answers, whose order is that of the page: one query finds the answers that
 * have calls, and each further one reads as many of them as fit in memory.
 *
 * @returns the calls of an answer, in the order in which they were made
 */
export async function readCallsOfPage(
  { clock }: Pick<Context, 'clock'>,
  reader: Reader,
  answers: readonly Answer[],
): Promise<(messageId: string) => Promise<readonly StoredCall[]>> {
  const sessionIds = [...new Set(answers.map((answer) => answer.session_id))]
  const all = { sessionIds, messageIds: answers.map((answer) => answer.message_id) }
  const sizes = answers.length === 0 ? [] : await listCallSizes(reader, all)
  const bytesOf = new Map(sizes.map(({ message_id: id, bytes }) => [id, bytes]))
  const withCalls = answers.filter((answer) => bytesOf.has(answer.message_id))
  let read = new Map<string, StoredCall[]>()

  function batchFrom(first: number): readonly Answer[] {
    let bytes = 0
    const end = withCalls.findIndex(
      ({ message_id: id }, at) =>
        at >= first && (bytes += bytesOf.get(id) ?? 0) > bytesAtOnce && at > first,
    )
    return withCalls.slice(first, end === -1 ? undefined : end)
  }

  return async (messageId) => {
    if (!bytesOf.has(messageId)) return []
    const known = read.get(messageId)
    if (known !== undefined) return known
    const batch = batchFrom(withCalls.findIndex((answer) => answer.message_id === messageId))
    const rows = await listCallsOfMessages(reader, {
      sessionIds: [...new Set(batch.map((answer) => answer.session_id))],
      messageIds: batch.map((answer) => answer.message_id),
    })
    const calls = rows.map((row) => storedCall(row, clock.now()))
    read = Map.groupBy(calls, (call) => call.messageId)
    return read.get(messageId) ?? []
  }
}
