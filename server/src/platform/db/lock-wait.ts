import { isBusy } from './sqlite/sqlite-errors.ts'
import { retryWhileBusy } from './sqlite/retry-while-busy.ts'

interface Patience {
  /** How long a lock may be held before a call fails. */
  readonly heldMs: number
  /** How long each further call waits for a lock that is held for longer than that. */
  readonly againMs: number
}

const patience: Patience = { heldMs: 10_000, againMs: 1_000 }

/**
 * Waits for a lock that another process holds. A request has several units one after the other: if each
 * waited for as long as the first, a request would wait for all of them together. Calls share the time
 * since the lock was found to be held; once it is used up, each waits for a short time only.
 */
export class LockWait {
  readonly #patience: Patience
  /** Since when every attempt has found the lock held; null after one that succeeded. */
  #heldSince: number | null = null
  /** When it was last found to be held. */
  #seenAt = 0

  constructor(given: Patience = patience) {
    this.#patience = given
  }

  /** @throws Fault database_unavailable when the lock is held for too long */
  begin(attempt: () => void): void | Promise<void> {
    return retryWhileBusy(
      () => this.#try(attempt),
      () => this.#giveUpAt(),
    )
  }

  #try(attempt: () => void): void {
    try {
      attempt()
      this.#heldSince = null
    } catch (error) {
      if (isBusy(error)) this.#noteHeld(performance.now())
      throw error
    }
  }

  /** After this long without an attempt, it is not known whether the lock was held all the time. */
  #noteHeld(now: number): void {
    const isKnown = this.#heldSince !== null && now - this.#seenAt <= this.#patience.againMs
    if (!isKnown) this.#heldSince = now
    this.#seenAt = now
  }

  /** Called after a first attempt that found the lock held. */
  #giveUpAt(): number {
    const { heldMs, againMs } = this.#patience
    return Math.max((this.#heldSince ?? this.#seenAt) + heldMs, this.#seenAt + againMs)
  }
}
