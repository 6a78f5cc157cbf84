import { setTimeout as sleep } from 'node:timers/promises'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isBusy } from './sqlite-errors.ts'

const patienceMs = 10_000
const maxPauseMs = 50

/**
 * Retries while another process, such as the command line, holds the lock. SQLite's own busy timeout
 * would block the event loop. The first attempt is made at once and costs no promise.
 *
 * @param giveUpAt called after the first attempt, on the clock of `performance`; ten seconds later by default
 * @throws Fault database_unavailable
 */
export function retryWhileBusy<T>(
  attempt: () => T,
  giveUpAt: () => number = () => performance.now() + patienceMs,
): T | Promise<T> {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw error
    return retry(attempt, giveUpAt())
  }
}

async function retry<T>(attempt: () => T, giveUpAt: number): Promise<T> {
  for (let pause = 1; ; pause = Math.min(pause * 2, maxPauseMs)) {
    await sleep(pause)
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > giveUpAt)
        throw new Fault(commonFaults.database_unavailable, {}, { cause: error })
    }
  }
}
