import type { Context } from '#platform/context.ts'

/**
 * Runs what a message does before its model is called. Of many that arrive at the same time, a few
 * begin after each other, so that the first is not as late as the last.
 *
 * Only for what neither waits for another service nor for another turn.
 */
export async function beginInTurn<Begun>(
  { visitorSlots }: Pick<Context, 'visitorSlots'>,
  workspaceId: string,
  signal: AbortSignal,
  begin: () => Promise<Begun>,
): Promise<Begun> {
  // Slots only put messages in order. Without one, the message begins beside the others.
  const leave = await visitorSlots.acquire(workspaceId, signal).catch(() => null)
  try {
    return await begin()
  } finally {
    leave?.()
  }
}
