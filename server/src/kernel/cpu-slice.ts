/** How long work on a caller's input may run before other work gets its turn. */
const sliceMs = 5

const waiting: (() => void)[] = []

/** Resolves in a later turn of the event loop, in which the slices together take about `sliceMs`. */
async function nextSlice(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(resolve)
  if (waiting.length === 1) setImmediate(resumeSome)
  await promise
}

function resumeSome(): void {
  resumeUntil(performance.now() + sliceMs)
}

/** A thousand streams that wait have little to do each: one of them in each turn would take seconds. */
function resumeUntil(end: number): void {
  waiting[0]?.()
  // A microtask runs after the slice has begun, and the next tick after it has ended.
  queueMicrotask(() =>
    process.nextTick(() => {
      waiting.shift()
      if (waiting.length === 0) return
      if (performance.now() < end) resumeUntil(end)
      else setImmediate(resumeSome)
    }),
  )
}

/** A slice that runs for this long is counted together with the others of its turn. */
const countedMs = 1

/** When the first counted slice of this turn of the event loop began. */
let turnBeganAt: number | null = null

/**
 * Divides long work on text into slices, so that no caller's input stops the event loop. However many
 * callers send such input, the slices between two looks at the network take about `sliceMs` together:
 * slices that follow each other within one turn count as one.
 */
export class CpuSlice {
  #ownStart = performance.now()
  #startedAt = turnBeganAt ?? this.#ownStart
  readonly #leastMs: number

  /**
   * @param leastMs how long the slice may run even if others have used up the turn, because a wait would
   *   cost more than what there is to do
   */
  constructor(leastMs = 0) {
    this.#leastMs = leastMs
  }

  get isOver(): boolean {
    const now = performance.now()
    if (now - this.#ownStart < this.#leastMs) return false
    const ms = now - this.#startedAt
    if (ms >= countedMs && turnBeganAt === null) {
      turnBeganAt = this.#startedAt
      setImmediate(() => (turnBeganAt = null))
    }
    return ms >= sliceMs
  }

  async next(): Promise<void> {
    await nextSlice()
    this.#ownStart = performance.now()
    this.#startedAt = turnBeganAt ?? this.#ownStart
  }
}
