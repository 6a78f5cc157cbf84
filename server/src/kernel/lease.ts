/**
 * How much further ahead than its longest life a lease may end. A process dates a lease by its clock. If
 * that clock was ahead and was then set back, the lease of a process that was killed meanwhile would last
 * for as long as the clock was ahead; a living process renews its lease long before the tolerance matters.
 */
export const clockToleranceMs = 60_000

/** Whether a lease that lasts at most `longestMs` still runs. Times are in epoch milliseconds. */
export function isLeaseLive(endsAt: number, now: number, longestMs: number): boolean {
  return endsAt > now && endsAt <= now + longestMs + clockToleranceMs
}
