import { turnFaults, type Turn } from '#features/turns/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { findContinuation, type Continuation, type Continued } from './find-continuation.ts'
import type { Place } from './response-store.ts'

/**
 * Begins the turn of a response in the session that it continues. If another turn has already
 * continued the same answer, this one branches.
 *
 * @param isStored a turn that is not stored must not wait for others, so it never continues the
 *   session
 * @returns inherited how many of the turn's messages are older than its request
 */
export async function beginAnswer(
  ctx: Pick<Context, 'db' | 'config'>,
  place: Place,
  continued: Continued,
  isStored: boolean,
  start: (continuation: Continuation) => Promise<Turn>,
): Promise<{ readonly turn: Turn; readonly inherited: number }> {
  const from = await findContinuation(ctx, place, continued, !isStored)
  try {
    return { turn: await start(from), inherited: from.history.length }
  } catch (error) {
    if (!isFault(error, turnFaults.session_moved_on)) throw error
    const branch = await findContinuation(ctx, place, continued, true)
    return { turn: await start(branch), inherited: branch.history.length }
  }
}
