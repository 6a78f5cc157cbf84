/** How long work on a caller's input may run before other work gets its turn. */
const sliceMs = 5

const waiting: (() => void)[] = []
/** Work that all callers wait for: it is before `waiting`, but not twice in a row. */
const urgent: (() => void)[] = []

/** When the first counted slice of this turn of the event loop began. */
let turnBeganAt: number | null = null
/** Whether that was work which is not divided into slices. */
let isOther = false
/** Whether slices that waited are running. */
let isResuming = false
/** How many turns the slices have left out, because other work had used them. */
let leftOut = 0
/** When the last of these turns began. */
let lastLeftOut: number | null = null
/** Afterwards they are resumed anyway. */
const mostLeftOut = 3
let wasUrgent = false

/** Resolves in a later turn of the event loop, in which the slices together take about `sliceMs`. */
async function nextSlice(list = waiting): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  list.push(resolve)
  if (waiting.length + urgent.length === 1) setImmediate(resumeSome)
  await promise
}

/**
 * For work that all callers wait for, and that pauses: resolves before the slices that wait, and takes turns
 * with them, so that a turn of the event loop has one of both.
 */
export async function nextUrgentSlice(): Promise<void> {
  await nextSlice(urgent)
}

/**
 * Counts work that was not divided into slices as a part of this turn of the event loop.
 *
 * @param beganAt by `performance.now()`
 */
export function noteWork(beganAt: number): void {
  if (performance.now() - beganAt >= sliceMs) noteTurn(beganAt, true)
}

/** Whether slices have used this turn of the event loop, so that other long work should wait for the next. */
export function haveSlicesUsedTurn(): boolean {
  return !isOther && isTurnUsed()
}

function isTurnUsed(): boolean {
  return turnBeganAt !== null && performance.now() - turnBeganAt >= sliceMs
}

function noteTurn(beganAt: number, isOtherWork = false): void {
  if (turnBeganAt !== null && turnBeganAt !== lastLeftOut) return
  turnBeganAt = beganAt
  isOther = isOtherWork
  const end = () => {
    if (turnBeganAt === beganAt) turnBeganAt = null
  }
  // Slices that wait are resumed at the end of a turn: what ran before them belongs to the same one.
  setImmediate(isResuming ? end : () => setImmediate(end))
}

function resumeSome(): void {
  if (isTurnUsed() && turnBeganAt !== lastLeftOut && leftOut < mostLeftOut) {
    leftOut += 1
    lastLeftOut = turnBeganAt
    setImmediate(resumeSome)
    return
  }
  leftOut = 0
  turnBeganAt = null
  isResuming = true
  const isUrgent = urgent.length > 0 && (!wasUrgent || waiting.length === 0)
  wasUrgent = isUrgent
  resumeUntil(performance.now() + sliceMs, isUrgent ? urgent : waiting)
}

/** A thousand streams that wait have little to do each: one of them in each turn would take seconds. */
function resumeUntil(end: number, list: (() => void)[]): void {
  list[0]?.()
  // A microtask runs after the slice has begun, and the next tick after it has ended.
  queueMicrotask(() =>
    process.nextTick(() => {
      list.shift()
      if (waiting.length > 0 && performance.now() < end) return resumeUntil(end, waiting)
      isResuming = false
      if (waiting.length + urgent.length > 0) setImmediate(resumeSome)
    }),
  )
}

/** A slice that runs for this long is counted together with the others of its turn. */
const countedMs = 1

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
    if (ms >= countedMs) noteTurn(this.#startedAt)
    return ms >= sliceMs
  }

  async next(): Promise<void> {
    await nextSlice()
    this.#ownStart = performance.now()
    this.#startedAt = turnBeganAt ?? this.#ownStart
  }
}
