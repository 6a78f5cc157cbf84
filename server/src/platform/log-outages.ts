import { commonFaults, Fault } from '#kernel/fault.ts'

/** After this time without a failure, the next one is logged again. */
const quietMs = 30_000
const mostCauses = 5

/**
 * Decides which lines are repeats: while the database does not answer, every request and every job
 * fails for the same reason, and one line is enough.
 *
 * @param nowMs a clock that never goes backwards
 */
export function createOutageFilter(nowMs = () => performance.now()): (facts: unknown) => boolean {
  let lastAt = Number.NEGATIVE_INFINITY
  return (facts) => {
    if (typeof facts !== 'object' || facts === null || !('err' in facts)) return false
    if (!isDatabaseLost(facts.err)) return false
    const isRepeat = nowMs() - lastAt < quietMs
    lastAt = nowMs()
    return isRepeat
  }
}

function isDatabaseLost(error: unknown): boolean {
  let cause = error
  for (let depth = 0; depth < mostCauses && cause instanceof Error; depth++) {
    if (cause instanceof Fault && cause.code === commonFaults.database_unavailable.code) return true
    cause = cause.cause
  }
  return false
}
