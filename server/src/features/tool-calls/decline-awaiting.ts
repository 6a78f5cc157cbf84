import type { Context } from '#platform/context.ts'
import { declineCalls } from './call-store.ts'

/**
 * Declines the calls of a session that wait for the user's consent, because the user was not shown what
 * they would do. The next message cannot confirm them.
 *
 * @param messageId the answer that asked; null for all
 */
export async function declineAwaiting(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  sessionId: string,
  messageId: string | null,
): Promise<void> {
  await db.write((tx) => declineCalls(tx, { sessionId, messageId }, clock.now()))
}
