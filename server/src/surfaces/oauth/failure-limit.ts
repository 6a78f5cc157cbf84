import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Window } from '#platform/limits/limits.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

/**
 * Makes a call, unless too many calls of this caller have failed.
 *
 * @throws Fault rate_limited; as `call`
 */
export type LimitFailures = <T>(caller: string, call: () => Promise<T>) => Promise<T>

/** One caller's calls in this process. */
interface Calls {
  /** All calls, including those that wait. */
  count: number
  /** Resolves when the previous call has been admitted or refused. */
  turn: Promise<unknown>
  /** Admitted calls that have not yet ended and been counted as a success or a failure. */
  readonly running: Set<Promise<void>>
}

/**
 * Limits failed calls. Each call takes a slot before it is made, so that concurrent calls cannot
 * exceed the limit together, and returns it when it succeeds. While running calls hold the last
 * slots, the next call waits for one of them to end: successful calls are never refused for being
 * concurrent.
 */
export function createFailureLimit(
  { limits, log }: Pick<Context, 'limits' | 'log'>,
  window: Window,
): LimitFailures {
  const callers = new Map<string, Calls>()

  async function admit(caller: string, { running }: Calls): Promise<void> {
    for (;;) {
      // Read before asking for a slot, because a call that ends meanwhile may free one.
      const ahead = [...running]
      const { allowed, retryAfterSeconds } = await limits.consume(caller, window)
      if (allowed) return
      await limits.giveBack(caller, window)
      if (ahead.length === 0)
        throw new Fault(requestFaults.rate_limited, { limit: window.limit, retryAfterSeconds })
      await Promise.race(ahead)
    }
  }

  /** Best effort: the caller gets the answer even if the count stays too high for a minute. */
  async function forgive(caller: string): Promise<void> {
    await limits.giveBack(caller, window).catch((error: unknown) => {
      log.warn({ err: error }, 'a successful call could not be removed from the failure count')
    })
  }

  async function run<T>(caller: string, { running }: Calls, call: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    running.add(promise)
    try {
      const answer = await call()
      await forgive(caller)
      return answer
    } catch (error) {
      if (!isCallers(error)) await forgive(caller)
      throw error
    } finally {
      running.delete(promise)
      resolve()
    }
  }

  return async (caller, call) => {
    const calls = callers.getOrInsertComputed(caller, newCalls)
    calls.count += 1
    try {
      const admitted = calls.turn.then(() => admit(caller, calls))
      // The next call waits until this one is admitted or refused. A refusal must not fail the next
      // one.
      const answer = admitted.then(() => run(caller, calls, call))
      calls.turn = admitted.catch(() => undefined)
      return await answer
    } finally {
      calls.count -= 1
      if (calls.count === 0) callers.delete(caller)
    }
  }
}

function newCalls(): Calls {
  return { count: 0, turn: Promise.resolve(), running: new Set() }
}

/** An error on our side, such as an unavailable database, does not count against the caller. */
function isCallers(error: unknown): boolean {
  return error instanceof Fault && error.kind !== 'unavailable' && error.kind !== 'internal'
}
