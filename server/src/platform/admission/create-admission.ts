import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { Admission } from './admission.ts'

/** How often the delay of the event loop is measured while requests arrive. */
const measureEveryMs = 50
/** The weight of a measurement: one long delay alone must not refuse requests, several must. */
const weight = 0.3
/** Long enough that those who wait are answered first, and short enough for a person. */
const retryAfterSeconds = 2

/**
 * Refuses requests while the event loop is late or too many requests wait. Both show that a further
 * request would wait for longer than its client does, and would delay those that have begun.
 */
export function createAdmission(
  config: Pick<Config, 'shedEventLoopDelayMs' | 'shedWaitingRequests'>,
  log: Logger,
): Admission {
  const mostDelayMs = config.shedEventLoopDelayMs ?? Number.POSITIVE_INFINITY
  const mostWaiting = config.shedWaitingRequests ?? Number.POSITIVE_INFINITY
  let waiting = 0
  let delayMs = 0
  let timer: NodeJS.Timeout | null = null
  let hadRequests = false
  let refused = 0

  /** Measures again while requests arrive or the delay is long: an idle process does nothing. */
  function measureLater(): void {
    const due = performance.now() + measureEveryMs
    timer = setTimeout(() => {
      const late = Math.max(0, performance.now() - due)
      delayMs += weight * (late - delayMs)
      timer = null
      if (refused > 0 && !isOverloaded()) noteEnd()
      const isNeeded = hadRequests || refused > 0 || delayMs > 1
      hadRequests = false
      if (isNeeded) outside(measureLater)
    }, measureEveryMs)
    timer.unref()
  }

  const isOverloaded = () => delayMs > mostDelayMs || waiting > mostWaiting

  function noteEnd(): void {
    log.info({ refused }, 'no longer overloaded: all requests are accepted')
    refused = 0
  }

  return {
    admit(surface) {
      hadRequests = true
      if (timer === null) outside(measureLater)
      if (!isOverloaded()) return
      if (refused === 0)
        log.warn({ delayMs: Math.round(delayMs), waiting }, 'overloaded: new requests get 503')
      refused += 1
      tallies.shed.add(surface)
      throw new Fault(commonFaults.overloaded, { retryAfterSeconds })
    },
    async track(answer) {
      waiting += 1
      try {
        return await answer()
      } finally {
        waiting -= 1
      }
    },
  }
}

/** The timer belongs to no request. */
const outside = AsyncLocalStorage.snapshot()
