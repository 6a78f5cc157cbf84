/**
 * Wakes the turns of this process that wait for a session as soon as it is free. Only a short cut:
 * who may go next is decided in the database, and waiters of other processes poll.
 */
const sleepers = new Map<string, Set<() => void>>()

export function announceRelease(sessionId: string): void {
  for (const wake of sleepers.get(sessionId) ?? []) wake()
}

/** Resolves after a release in this process, after `milliseconds`, or when the caller hangs up. */
export async function sleepUntilRelease(
  sessionId: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const waiting = sleepers.get(sessionId) ?? new Set()
  sleepers.set(sessionId, waiting)
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  waiting.add(resolve)
  const wake = () => resolve()
  signal.addEventListener('abort', wake, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', wake)
  waiting.delete(resolve)
  if (waiting.size === 0) sleepers.delete(sessionId)
}
