import type { Verdict, Window } from './limits.ts'

/** How many requests a process takes of a window at a time, as a share of its limit. */
const blocksPerWindow = 50
/** Beyond this many keys, those whose window has ended are dropped. */
const mostKeys = 10_000

/** Counts `points` requests; `counted` is the new sum of the window. */
type Take = (
  key: string,
  window: Window,
  points: number,
) => Promise<{ readonly counted: number; readonly resetsAt: number }>

interface Block {
  left: number
  readonly resetsAt: number
  readonly isLimitReached: boolean
}

/**
 * Counts the requests of a window in blocks: a process takes a fiftieth of the limit at a time from the
 * shared count and then counts in memory. All processes together never allow more than the limit;
 * near it, some may refuse a request while another process has part of a block left.
 */
export class WindowBlocks {
  readonly #take: Take
  readonly #blocks = new Map<string, Block>()
  readonly #taking = new Map<string, Promise<void>>()

  constructor(take: Take) {
    this.#take = take
  }

  async consume(key: string, window: Window): Promise<Verdict> {
    for (;;) {
      const known = this.#blocks.get(key)
      const isOver = known === undefined || known.resetsAt <= Date.now()
      // A reached limit stays in memory until its window ends.
      if (!isOver && known.isLimitReached) return verdict(known, false)
      if (!isOver && known.left > 0) {
        known.left -= 1
        return verdict(known, true)
      }
      await this.#refill(key, window)
    }
  }

  /** Callers at the same time share one block. */
  async #refill(key: string, window: Window): Promise<void> {
    const running = this.#taking.get(key) ?? this.#fetch(key, window)
    this.#taking.set(key, running)
    try {
      await running
    } finally {
      this.#taking.delete(key)
    }
  }

  async #fetch(key: string, window: Window): Promise<void> {
    const wanted = Math.max(1, Math.floor(window.limit / blocksPerWindow))
    const { counted, resetsAt } = await this.#take(key, window, wanted)
    const granted = Math.min(wanted, window.limit - (counted - wanted))
    const block = { left: Math.max(0, granted), resetsAt, isLimitReached: granted <= 0 }
    if (this.#blocks.size >= mostKeys) this.#dropEnded()
    this.#blocks.set(key, block)
  }

  #dropEnded(): void {
    const now = Date.now()
    for (const [key, { resetsAt }] of this.#blocks) if (resetsAt <= now) this.#blocks.delete(key)
  }
}

function verdict({ left, resetsAt }: Block, allowed: boolean): Verdict {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - Date.now()) / 1000))
  return { allowed, remaining: Math.max(0, left), retryAfterSeconds, resetsAt }
}
