import {
  deleteConversations,
  raiseGenerations,
  readWatermark,
  type DeletedRows,
} from '#features/conversations/index.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { readCalls, readMessages } from './counted-rows-store.ts'
import { addCitations, addToRollups, takeQuestions } from './rollup-store.ts'
import { spans } from './spans.ts'
import { Tally } from './tally.ts'

/** Conversations that one unit deletes at most. */
export const deletedPerUnit = 100

/**
 * A step: deletes conversations whose figures stay. What was not counted yet is counted now, what
 * they asked is taken back from the lists of questions, since these are texts.
 */
export async function deleteCounted(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  sessionIds: readonly string[],
): Promise<DeletedRows> {
  const { reached_at: reachedAt } = await readWatermark(tx, 'analytics')
  const counted = { since: 0, until: reachedAt, sessionIds }
  const fresh = { since: reachedAt, until: Number.MAX_SAFE_INTEGER, sessionIds }
  const asked = new Tally([])
  for (const message of await readMessages(tx, engine, counted)) asked.countMessage(message)
  const left = new Tally(spans)
  for (const message of await readMessages(tx, engine, fresh)) left.countMessage(message)
  for (const call of await readCalls(tx, fresh)) left.countCall(call)
  await takeQuestions(tx, [...asked.questions.values()])
  await addToRollups(tx, engine, [...left.places.values()])
  await addCitations(tx, engine, [...left.citations.values()])
  await raiseGenerations(tx)
  return await deleteConversations(tx, { engine }, sessionIds)
}

export function addDeleted(one: DeletedRows, other: DeletedRows): DeletedRows {
  return {
    conversations: one.conversations + other.conversations,
    messages: one.messages + other.messages,
    ratings: one.ratings + other.ratings,
    actionCalls: one.actionCalls + other.actionCalls,
  }
}

/** What was deleted in the words of the audit log, which are those of the wire. */
export function deletedDetail({ actionCalls, ...rows }: DeletedRows) {
  return { ...rows, action_calls: actionCalls }
}

export const nothingDeleted: DeletedRows = {
  conversations: 0,
  messages: 0,
  ratings: 0,
  actionCalls: 0,
}
