import { raiseGenerations, readWatermark, renewTerms } from '#features/conversations/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { findMoment, readMessages, sumCallBytes } from './counted-rows-store.ts'
import { takeDeleted } from './keep-usage.ts'
import { takeQuestions } from './rollup-store.ts'
import { Tally } from './tally.ts'

interface OfSession {
  readonly workspaceId: string
  readonly sessionId: string
  readonly messageId: string
}

/**
 * A step. Deletes what a message says: if the message was already counted, its question is subtracted, as
 * are its bytes and those of its calls, and its words leave the search. The other figures stay. A later
 * deletion of the conversation finds them gone.
 *
 * @param blank the step that deletes the content, of this message or of all that have the same time
 */
export async function recountMessage(
  tx: Tx,
  ctx: Pick<Context, 'db' | 'jobs'>,
  { workspaceId, sessionId, messageId }: OfSession,
  blank: () => Promise<void>,
): Promise<void> {
  const { engine } = ctx.db
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
  const callsBefore = await sumCallBytes(tx, sessionId, reachedAt)
  await blank()
  const after = await tally()
  const callsAfter = await sumCallBytes(tx, sessionId, reachedAt)
  const questions = [...before.questions].map(([key, question]) => {
    const left = after.questions.get(key) ?? { count: 0, tests: 0 }
    const [count, tests] = [question.count - left.count, question.tests - left.tests]
    return { ...question, count, tests }
  })
  await takeQuestions(tx, engine, questions)
  await takeBytes(tx, bytesOf(before), bytesOf(after))
  await takeBytes(tx, callsBefore, callsAfter)
  await renewTerms(tx, ctx, { workspaceId, sessionId })
  // A job that has read the message must read it again.
  await raiseGenerations(tx)
}

type BytesOfAgents = ReadonlyMap<string, number>

function bytesOf({ stored }: Tally): BytesOfAgents {
  return new Map([...stored].map(([agentId, { bytes }]) => [agentId, bytes]))
}

/** A step: subtracts what agents no longer store. */
async function takeBytes(tx: Tx, before: BytesOfAgents, after: BytesOfAgents): Promise<void> {
  const stored = [...before].map(([agentId, bytes]) => {
    return [agentId, { messages: 0, bytes: bytes - (after.get(agentId) ?? 0) }] as const
  })
  await takeDeleted(tx, { stored: new Map(stored) })
}

/** A step. A stored request of a response repeats less than before: subtracts what was counted of it. */
export async function recountRequest(
  tx: Tx,
  { agentId, createdAt, bytes }: { agentId: string; createdAt: number; bytes: number },
): Promise<void> {
  const { reached_at: reachedAt } = await readWatermark(tx, 'analytics')
  if (createdAt < reachedAt)
    await takeDeleted(tx, { stored: new Map([[agentId, { messages: 0, bytes }]]) })
  // A job that has read the response must read it again.
  await raiseGenerations(tx)
}
