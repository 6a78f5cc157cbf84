import type { Rating } from '#features/conversations/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Engine, Tx } from '#platform/db/database.ts'
import { analyticsFaults as faults } from './analytics-faults.ts'
import {
  findAgentOfSession,
  findAnswer,
  findFeedback,
  replaceFeedback,
  type AnswerRow,
} from './feedback-store.ts'
import { noFigures } from './figures.ts'
import { addToRollups } from './rollup-store.ts'
import { spans, startOfSpan } from './spans.ts'

/** The longest comment, in UTF-16 code units. */
export const maxComment = 4000

export interface AnswerRating {
  readonly sessionId: string
  /** Null for the last answer of the conversation. */
  readonly messageId: string | null
  /** Null takes a rating back. */
  readonly rating: Rating | null
  readonly comment: string | null
}

export interface RatedAnswer {
  readonly sessionId: string
  readonly messageId: string
  readonly rating: Rating | null
  readonly comment: string | null
}

/** Where the caller may rate: all agents of a workspace, or one of them. */
export interface RatingPlace {
  readonly workspaceId: string
  readonly agentId?: string
}

/**
 * What the user thinks of an answer; the last word counts. It counts to the moment of the answer,
 * however late it comes.
 *
 * @throws Fault record_not_found (also for a conversation that is not the caller's), nothing_to_rate
 */
export async function rateAnswer(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  place: RatingPlace,
  given: AnswerRating,
): Promise<RatedAnswer> {
  const now = clock.now()
  return await db.write(async (tx) => {
    const agentId = await findAgentOfSession(tx, place.workspaceId, given.sessionId)
    const isTheirs = place.agentId === undefined || place.agentId === agentId
    if (agentId === undefined || !isTheirs) throw new Fault(commonFaults.record_not_found)
    const answer = await findAnswer(tx, given.sessionId, given.messageId)
    if (answer === undefined)
      throw new Fault(
        given.messageId === null ? faults.nothing_to_rate : commonFaults.record_not_found,
      )
    const before = await findFeedback(tx, answer.id)
    const rating = given.rating === null ? null : given.rating === 'up' ? 1 : -1
    const comment = rating === null ? null : given.comment
    const row = rating === null ? null : {
      message_id: answer.id,
      session_id: given.sessionId,
      workspace_id: place.workspaceId,
      agent_id: agentId,
      rating,
      comment,
      created_at: before?.created_at ?? now,
      updated_at: now,
    } // prettier-ignore
    await replaceFeedback(tx, answer.id, row)
    await countRating(tx, db.engine, agentId, answer, before?.rating ?? null, rating)
    const { sessionId, rating: told } = given
    return { sessionId, messageId: answer.id, rating: told, comment }
  })
}

async function countRating(
  tx: Tx,
  engine: Engine,
  agentId: string,
  { created_at: at, source }: AnswerRow,
  before: number | null,
  now: number | null,
): Promise<void> {
  if (before === now) return
  const figures = {
    ...noFigures(),
    ratingsUp: Number(now === 1) - Number(before === 1),
    ratingsDown: Number(now === -1) - Number(before === -1),
  }
  const placed = spans.map((span) => ({
    place: { agentId, span, startsAt: startOfSpan(at, span), source },
    figures,
    users: new Set<number>(),
  }))
  await addToRollups(tx, engine, placed)
}
