import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Window } from '#platform/limits/limits.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

/** Makes a call, unless too many of this caller's have failed. @throws Fault rate_limited; as `call` */
export type LimitFailures = <T>(caller: string, call: () => Promise<T>) => Promise<T>

/** The calls of one caller in this process. */
interface Calls {
  /** How many there are, waiting ones too. */
  count: number
  /** Done when whoever came before has been let in or turned away. */
  turn: Promise<unknown>
  /** Those that were let in, each until it has ended and is counted right. */
  readonly running: Set<Promise<void>>
}

/**
 * Limits the calls that fail. Each takes a place before it is made, so that those made at once cannot
 * pass the limit together, and one that succeeds gives its place back. While the last places are with
 * calls that still run, the next one waits for how they end: good calls are never refused for being
 * many at once.
 */
export function createFailureLimit(
  { limits, log }: Pick<Context, 'limits' | 'log'>,
  window: Window,
): LimitFailures {
  const callers = new Map<string, Calls>()

  async function admit(caller: string, { running }: Calls): Promise<void> {
    for (;;) {
      // Read first: one that ends while the place is asked for may be the one that frees it.
      const ahead = [...running]
      const { allowed, retryAfterSeconds } = await limits.consume(caller, window)
      if (allowed) return
      await limits.giveBack(caller, window)
      if (ahead.length === 0) throw new Fault(requestFaults.rate_limited, { retryAfterSeconds })
      await Promise.race(ahead)
    }
  }

  /** A count that stays too high for a minute must not cost the caller the answer. */
  async function forgive(caller: string): Promise<void> {
    await limits.giveBack(caller, window).catch((error: unknown) => {
      log.warn({ err: error }, 'a call stays counted as a failed one')
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
      // Our own failures are not the caller's.
      if (!(error instanceof Fault)) await forgive(caller)
      throw error
    } finally {
      running.delete(promise)
      resolve()
    }
  }

  return async (caller, call) => {
    const calls = callers.get(caller) ?? newCalls()
    callers.set(caller, calls)
    calls.count += 1
    try {
      const admitted = calls.turn.then(() => admit(caller, calls))
      // Whether this one is let in is no matter of the next one's.
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
