/** How long work on a caller's input may run before other work gets its turn. */
const sliceMs = 5

const waiting: (() => void)[] = []

/** Resolves in a later turn of the event loop; only one of all that wait does in each turn. */
async function nextSlice(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(resolve)
  if (waiting.length === 1) setImmediate(resumeOne)
  await promise
}

function resumeOne(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeOne)
}

/** A slice that runs for this long is counted together with the others of its turn. */
const countedMs = 1

/** When the first counted slice of this turn of the event loop began. */
let turnBeganAt: number | null = null

/**
 * Divides long work on text into slices, so that no caller's input stops the event loop. However many
 * callers send such input, the loop runs one slice between two looks at the network. Slices that follow
 * each other within one turn count as one.
 */
export class CpuSlice {
  #startedAt = turnBeganAt ?? performance.now()

  get isOver(): boolean {
    const ms = performance.now() - this.#startedAt
    if (ms >= countedMs && turnBeganAt === null) {
      turnBeganAt = this.#startedAt
      setImmediate(() => (turnBeganAt = null))
    }
    return ms >= sliceMs
  }

  async next(): Promise<void> {
    await nextSlice()
    this.#startedAt = turnBeganAt ?? performance.now()
  }
}
