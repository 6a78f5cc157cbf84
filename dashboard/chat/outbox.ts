/** A host's scripts can ask more than a visitor could read; what exceeds this is dropped. */
const most = 10

type Send = () => Promise<void>

/**
 * What is sent as soon as nothing stands in its way: a visit that has not begun, a conversation that is
 * loading, a file that is being read, an answer that is being written.
 */
export class Outbox {
  readonly #mayBegin: () => boolean
  readonly #waiting: Send[] = []
  #isSending = false

  constructor(mayBegin: () => boolean) {
    this.#mayBegin = mayBegin
  }

  /** What already waits is not added again. */
  add(send: Send): void {
    if (this.#waiting.length < most && !this.#waiting.includes(send)) this.#waiting.push(send)
    void this.flush()
  }

  /** Sends what waits, one after the other. */
  async flush(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    try {
      while (this.#waiting.length > 0 && this.#mayBegin()) await this.#waiting.shift()?.()
    } finally {
      this.#isSending = false
    }
  }
}
