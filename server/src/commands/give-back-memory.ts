import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How long the service must have had nothing to do. */
const quietMs = 500
/** The part of that time which the timers of a resting service take, at most. */
const quietUtilization = 0.1

/**
 * Gives back, once, what only the start needed: garbage, code that runs no more, and the room that
 * both took in the heap. It waits for a quiet moment, because the collection stops everything for
 * about a tenth of a second; V8 itself would do it only when memory runs out. See decision 0011.
 *
 * @returns gives up waiting
 */
export function giveBackMemoryOnceQuiet(): () => void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > quietUtilization) return
    clearInterval(timer)
    collectAll()
  }, quietMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** V8 shows its collector only to who asks by a flag, which may be set at any time. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  // A context made after the flag has it; its type is not the new context's to tell.
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', flavor: 'last-resort' })
}
