import { readTranscript, type Branch, type TranscriptMessage } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { responseFaults as faults } from './response-faults.ts'
import { findResponseRow, findSession, type Place } from './response-store.ts'

/** What a response continues. */
export interface Continued {
  readonly previousResponseId: string | null
  readonly conversationId: string | null
}

/** How a turn continues it. */
export interface Continuation {
  /** Null for a new session, which begins with `history`. */
  readonly sessionId: string | null
  /** The number of messages that the session must still have. */
  readonly after?: number
  readonly history: readonly TranscriptMessage[]
  /** Where the history comes from. */
  readonly branch?: Branch
  /** The end user of what is continued: erasing that person must find a branch, too. */
  readonly endUser: string | null
}

/**
 * Where a response is answered. After the latest answer of a session, it continues the session. After an
 * older one it branches: a new session begins with the messages up to there, and nothing is rewritten.
 *
 * @param isBranch whether to branch from the latest answer, too
 * @throws Fault response_unknown, response_unanswered, conversation_unknown
 */
export async function findContinuation(
  ctx: Pick<Context, 'db' | 'config'>,
  place: Place,
  { previousResponseId, conversationId }: Continued,
  isBranch: boolean,
): Promise<Continuation> {
  if (conversationId !== null) {
    const session = await findSession(ctx.db.read, place, conversationId)
    if (session === undefined) throw new Fault(faults.conversation_unknown)
    return { sessionId: session.id, history: [], endUser: session.end_user }
  }
  if (previousResponseId === null) return { sessionId: null, history: [], endUser: null }
  const previous = await findResponseRow(ctx.db.read, place, previousResponseId)
  if (previous === undefined) throw new Fault(faults.response_unknown)
  const { session_id: sessionId, seq, status, end_user: endUser } = previous
  if (seq === null || status === 'running') throw new Fault(faults.response_unanswered)
  if (!isBranch && seq === previous.message_count)
    return { sessionId, after: seq, history: [], endUser }
  const { messages: history, seqs } = await readTranscript(ctx, sessionId, seq)
  return { sessionId: null, history, branch: { sessionId, last: seq, seqs }, endUser }
}

/** The end user of what is continued; null if it has none, or does not exist. */
export async function findEndUser(
  { db }: Pick<Context, 'db'>,
  place: Place,
  { previousResponseId, conversationId }: Continued,
): Promise<string | null> {
  if (conversationId !== null)
    return (await findSession(db.read, place, conversationId))?.end_user ?? null
  if (previousResponseId === null) return null
  return (await findResponseRow(db.read, place, previousResponseId))?.end_user ?? null
}
