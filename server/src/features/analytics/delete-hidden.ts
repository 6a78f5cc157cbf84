import { z } from 'zod'
import {
  deleteByIds,
  deleteMessagesFrom,
  deleteSomeOthers,
  endHidden,
  findHidden,
  listHidden,
  listSomeIds,
  markQuestionTaken,
} from '#features/conversations/index.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { CountDeleted } from './count-deleted.ts'
import { findFirstOfUnit, mostOfUnit } from './deletion-size-store.ts'

/** Deletes what is left of a hidden conversation, in units, unless the signal aborts. Any process may continue. */
export async function deleteHidden(db: Database, id: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    if (signal?.aborted === true) return
    if (await db.write((tx) => deletePart(tx, db, id))) return
  }
}

const hiddenAtOnce = 100

/** Deletes what is left of hidden conversations: those of one agent, or of all. */
export async function deleteAllHidden(
  db: Database,
  agentId: string | null,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    if (signal?.aborted === true) return
    const hidden = await listHidden(db.read, agentId, hiddenAtOnce)
    for (const { id, workspace_id: workspaceId } of hidden)
      await db.forTenant(workspaceId, () => deleteHidden(db, id, signal))
    if (hidden.length < hiddenAtOnce) return
  }
}

/** Continues deletions whose process ended. */
export const finishDeletions = defineJob({
  kind: 'conversations.finish_deletions',
  input: z.object({}),
  everyMs: 60_000,
  maxAtOnce: 1,
  run: ({ db }: Pick<Context, 'db'>, _input, { signal }) => deleteAllHidden(db, null, signal),
})

/**
 * A step: deletes the last messages, then what belongs to them, then the conversation. The calls come after
 * the messages, because an answer that called something does not count as unanswered.
 *
 * @returns whether nothing is left
 */
async function deletePart(tx: Tx, db: Pick<Database, 'engine'>, id: string): Promise<boolean> {
  const hidden = await findHidden(tx, id)
  if (hidden === undefined) return true
  const counting = await CountDeleted.begin(tx, db)
  const firstSeq = await findFirstOfUnit(tx, id)
  if (firstSeq !== null) {
    // The last of the messages that a conversation began with is its question.
    const takesQuestion = hidden.question_taken === 0
    const began = await counting.messages({ sessionIds: [id], firstSeq }, takesQuestion)
    await counting.end()
    if (began && takesQuestion) await markQuestionTaken(tx, id)
    await deleteMessagesFrom(tx, id, firstSeq)
    return false
  }
  for (const table of ['action_calls', 'chat_responses'] as const) {
    const ids = await listSomeIds(tx, table, id, mostOfUnit)
    if (ids.length === 0) continue
    const rows = { sessionIds: [id], ids }
    await (table === 'action_calls' ? counting.calls(rows) : counting.requests(rows))
    await counting.end()
    await deleteByIds(tx, table, ids)
    return false
  }
  if (await deleteSomeOthers(tx, db.engine, id, mostOfUnit.rows)) return false
  await endHidden(tx, db, id)
  return true
}
