import { setTimeout as sleep } from 'node:timers/promises'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isBusy } from './sqlite-errors.ts'

const patienceMs = 10_000
const maxPauseMs = 50

/**
 * Retries while another process, such as the command line, holds the lock. SQLite's own busy timeout
 * would block the event loop. The first attempt is made at once and costs no promise.
 *
 * @throws Fault database_unavailable after ten seconds
 */
export function retryWhileBusy<T>(attempt: () => T): T | Promise<T> {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw error
    return retry(attempt)
  }
}

async function retry<T>(attempt: () => T): Promise<T> {
  const giveUpAt = performance.now() + patienceMs
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
