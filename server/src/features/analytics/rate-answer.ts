import type { Rating } from '#features/conversations/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Engine, Tx } from '#platform/db/database.ts'
import { analyticsFaults as faults } from './analytics-faults.ts'
import {
  findAgentOfSession,
  findAnswer,
  deleteFeedback,
  findFeedback,
  insertFeedback,
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
  /** Null withdraws a rating. */
  readonly rating: Rating | null
  readonly comment: string | null
}

type RatedAnswer = AnswerRating & { readonly messageId: string }

/** Which answers the caller may rate: those of a workspace's agents, or of one of them. */
interface RatingPlace {
  readonly workspaceId: string
  readonly agentId?: string
}

/**
 * Stores what a user thinks of an answer, instead of an earlier rating. The rating counts at the time
 * of the answer, however late it comes.
 *
 * @throws Fault record_not_found (also for another caller's conversation), nothing_to_rate
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
    await deleteFeedback(tx, answer.id)
    if (rating !== null)
      await insertFeedback(tx, {
        message_id: answer.id,
        session_id: given.sessionId,
        workspace_id: place.workspaceId,
        agent_id: agentId,
        rating,
        comment,
        created_at: before?.created_at ?? now,
        updated_at: now,
      })
    await countRating(tx, db.engine, agentId, answer, before?.rating ?? null, rating)
    return { ...given, messageId: answer.id, comment }
  })
}

async function countRating(
  tx: Tx,
  engine: Engine,
  agentId: string,
  { created_at: at, source }: { readonly created_at: number; readonly source: string },
  before: number | null,
  now: number | null,
): Promise<void> {
  if (before === now) return
  const figures = {
    ...noFigures(),
    ratings_up: Number(now === 1) - Number(before === 1),
    ratings_down: Number(now === -1) - Number(before === -1),
  }
  const placed = spans.map((span) => ({
    place: { agentId, span, startsAt: startOfSpan(at, span), source },
    figures,
    users: new Set<number>(),
  }))
  await addToRollups(tx, engine, placed)
}
