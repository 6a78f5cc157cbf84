import { raiseGenerations, readWatermark } from '#features/conversations/index.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { findMoment, readMessages } from './counted-rows-store.ts'
import { takeDeleted } from './keep-usage.ts'
import { takeQuestions } from './rollup-store.ts'
import { Tally } from './tally.ts'

interface OfSession {
  readonly sessionId: string
  readonly messageId: string
}

/**
 * A step. Deletes what a message says: if the message was already counted, its question and its bytes are
 * subtracted. The other figures stay. A later deletion of the conversation finds them gone.
 *
 * @param blank the step that deletes the content
 */
export async function recountMessage(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  { sessionId, messageId }: OfSession,
  blank: () => Promise<void>,
): Promise<void> {
  const { reached_at: reachedAt } = await readWatermark(tx, 'analytics')
  const at = await findMoment(tx, sessionId, messageId)
  const tally = async () => {
    const counted = new Tally([])
    if (at === undefined || at >= reachedAt) return counted
    // All messages that a session began with have the same time, and the last of them is its question.
    const wanted = { since: at, until: at + 1, sessionIds: [sessionId] }
    for (const message of await readMessages(tx, engine, wanted)) counted.countMessage(message)
    return counted
  }
  const before = await tally()
  await blank()
  const after = await tally()
  const questions = [...before.questions].map(([key, question]) => {
    const left = after.questions.get(key)?.count ?? 0
    return { ...question, count: question.count - left }
  })
  await takeQuestions(tx, questions)
  const stored = [...before.stored].map(([agentId, { bytes }]) => {
    const left = after.stored.get(agentId)?.bytes ?? 0
    return [agentId, { messages: 0, bytes: bytes - left }] as const
  })
  await takeDeleted(tx, { stored: new Map(stored) })
  // A job that has read the message must read it again.
  await raiseGenerations(tx)
}
