import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { responseFaults } from './response-faults.ts'
import type { Place } from './response-store.ts'
import { findProgress as findProgressRow } from './run-store.ts'

export interface Progress {
  /** Whether its messages are stored, and the model answers or has answered. */
  readonly isBegun: boolean
  readonly isEnded: boolean
  /** It changes when a branch begins. */
  readonly sessionId: string
}

/**
 * How far a background response is, without reading its request and its answer.
 *
 * @throws Fault response_unknown
 */
export async function findProgress(
  { db }: Pick<Context, 'db'>,
  place: Place,
  id: string,
): Promise<Progress> {
  const row = await findProgressRow(db.read, place, id)
  if (row === undefined) throw new Fault(responseFaults.response_unknown)
  const { status, message_id: messageId, session_id: sessionId } = row
  const isEnded = status !== 'queued' && status !== 'running'
  return { isBegun: messageId !== null, isEnded, sessionId }
}
