/** Up to this number of streams, a process reads every packet when it arrives. */
const fewStreams = 32

/** Until the interval is the longest, all streams together are read 2,000 times a second. */
const msPerStream = 0.5

/** Reads that are due within this time begin together, which saves timers. */
const togetherMs = 5

interface WaitingRead {
  /** Begins the read. */
  read(): void
}

/**
 * The times at which a process reads its streams: the more there are, the longer each waits between two
 * reads. One timer serves all of them, and none runs while no stream waits.
 */
export class ReadSchedule {
  readonly longestMs: number
  readonly #now: () => number
  #streams = 0
  /** Since when each waits, the longest first. */
  readonly #waiting = new Map<WaitingRead, number>()
  #timer: NodeJS.Timeout | null = null

  /** @param longestMs 0 reads every packet when it arrives, however many streams there are */
  constructor(longestMs: number, now: () => number = () => performance.now()) {
    this.longestMs = longestMs
    this.#now = now
  }

  /** How long a stream waits between two reads, in milliseconds. */
  get intervalMs(): number {
    return this.#streams <= fewStreams ? 0 : Math.min(this.longestMs, this.#streams * msPerStream)
  }

  /** A stream begins. */
  join(): void {
    this.#streams += 1
  }

  /** A stream ends, and none of its reads waits any more. */
  leave(stream: WaitingRead): void {
    this.#streams -= 1
    this.#waiting.delete(stream)
    if (this.#waiting.size > 0 || this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Begins the read of a stream when its interval is over. */
  wait(stream: WaitingRead): void {
    if (!this.#waiting.has(stream)) this.#waiting.set(stream, this.#now())
    this.#timer ??= setTimeout(() => this.#readDue(), this.intervalMs)
  }

  #readDue(): void {
    this.#timer = null
    const now = this.#now()
    for (const [stream, since] of this.#waiting) {
      const waitMs = since + this.intervalMs - now
      if (waitMs > togetherMs) {
        this.#timer = setTimeout(() => this.#readDue(), waitMs)
        return
      }
      this.#waiting.delete(stream)
      stream.read()
    }
  }
}
