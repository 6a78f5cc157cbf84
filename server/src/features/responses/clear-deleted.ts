import { deleteOrHide, recountMessage } from '#features/analytics/index.ts'
import { blankMessages } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { hasMetadata } from './metadata-store.ts'
import { findDeleted, hasResponses, listDeleted, listInputIds } from './response-store.ts'

type Deleted = NonNullable<Awaited<ReturnType<typeof findDeleted>>>

/**
 * A step: deletes the session of a deleted response if nothing but deleted responses added messages to
 * it. One that is too large for the unit is hidden, and `deleteHidden` or its job deletes it.
 *
 * @param ofJob whether the job of the response asks, after its deletion: then the messages of a background
 *   response are deleted, too, because nobody has read an answer that refers to them
 * @returns false while a turn that a caller waits for answers in the session: then nothing is deleted yet
 */
export async function clearDeleted(
  tx: Tx,
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  id: string,
  ofJob: boolean,
): Promise<boolean> {
  const row = await findDeleted(tx, id)
  if (row === undefined) return true
  const wasRunning = ofJob && !isDirect(row)
  // That turn must find its session when it stores its answer and its cost.
  if (!wasRunning && row.lease_until > ctx.clock.now()) return false
  if (await isOfDeletedOnly(tx, row)) await deleteOrHide(tx, ctx.db, row.session_id)
  else if (wasRunning) await blankOwn(tx, ctx, row)
  return true
}

/** Whether a caller waited for it: then it has the id of its answer. */
function isDirect({ id, message_id: answer }: Deleted): boolean {
  return id === answer
}

async function isOfDeletedOnly(
  tx: Tx,
  { session_id: id, message_count: messageCount }: Deleted,
): Promise<boolean> {
  if ((await hasResponses(tx, id)) || (await hasMetadata(tx, id))) return false
  const deleted = await listDeleted(tx, id)
  if (deleted.some((row) => isNamed(row.request_json))) return false
  const added = deleted.filter(({ last }) => last !== null)
  // A branch begins with messages of the session that it branches from.
  let next = added[0]?.first_seq ?? 1
  for (const { first_seq: first, last } of added) {
    if (first > next) return false
    next = Math.max(next, (last ?? 0) + 1)
  }
  return next > messageCount
}

/** Whether the request named the session as its `conversation`. */
function isNamed(requestJson: string): boolean {
  // Only this feature writes it, from an object.
  const { conversation } = JSON.parse(requestJson) as { readonly conversation?: unknown }
  return conversation !== undefined
}

/** Deletes the content of the response's question and of what was stored as its answer. */
async function blankOwn(
  tx: Tx,
  ctx: Pick<Context, 'db' | 'jobs'>,
  {
    session_id: sessionId,
    workspace_id: workspaceId,
    first_seq: first,
    message_id: answer,
  }: Deleted,
): Promise<void> {
  // It had not begun: nothing is stored.
  if (answer === null) return
  // All messages of a request have the same time.
  for (const ids of [await listInputIds(tx, sessionId, first), [answer]]) {
    const [messageId] = ids
    if (messageId === undefined) continue
    const messages = { workspaceId, sessionId, messageId }
    await recountMessage(tx, ctx, messages, () => blankMessages(tx, sessionId, ids))
  }
}
