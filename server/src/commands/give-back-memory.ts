import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How long the service must have been idle. */
const quietMs = 500
/** Event-loop utilization that counts as idle: the timers of a resting service take less. */
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

/** V8 exposes its collector only under a flag, which may be set at run time. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  // A new context has `gc` as a global; its type is not known statically.
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', flavor: 'last-resort' })
}
