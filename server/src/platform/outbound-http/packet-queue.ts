/** What a queue does to the connection that fills it. */
export interface PacketFlow {
  pause(): void
  resume(): void
  abort(reason: Error): void
}

/** Bytes that may wait for a slow reader before the connection is paused. */
const highWaterBytes = 64 * 1024

/** How long the unread rest of an answer may keep its connection, in milliseconds. */
const drainGraceMs = 1000

interface Waiter {
  resolve(result: IteratorResult<Buffer, undefined>): void
  reject(error: unknown): void
}

/**
 * The body of a response, one network packet per step. A reader that falls behind pauses the
 * connection, so that memory stays bounded and the sender feels it.
 */
export class PacketQueue implements AsyncIterableIterator<Buffer, undefined> {
  readonly #flow: PacketFlow
  #queued: Buffer[] = []
  #queuedBytes = 0
  #paused = false
  #waiter: Waiter | null = null
  #state: 'open' | 'ended' | 'failed' | 'draining' = 'open'
  #error: unknown = null
  #drainTimer: NodeJS.Timeout | null = null

  constructor(flow: PacketFlow) {
    this.#flow = flow
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** The next packet. Packets that came before a failure are given before it is thrown. */
  next(): Promise<IteratorResult<Buffer, undefined>> {
    const packet = this.#queued.shift()
    if (packet !== undefined) {
      this.#queuedBytes -= packet.length
      if (this.#paused && this.#queued.length === 0) this.#resume()
      return Promise.resolve({ value: packet, done: false })
    }
    if (this.#state === 'failed') return Promise.reject(this.#error)
    if (this.#state !== 'open') return Promise.resolve({ value: undefined, done: true })
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
    })
  }

  /** Ends reading early: the connection is closed unless the body is already complete. */
  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.discard()
    return Promise.resolve({ value: undefined, done: true })
  }

  /** Drops what waits and closes the connection unless the body is already complete. */
  discard(): void {
    if (this.#state !== 'open') return
    this.#drop()
    this.#state = 'ended'
    this.#flow.abort(new Error('The reader of the response left.'))
  }

  /**
   * Discards the rest of a body that is about to end, so that its connection can be reused; one
   * that goes on for over a second is closed.
   */
  drain(): void {
    if (this.#state !== 'open') return
    this.#drop()
    this.#state = 'draining'
    if (this.#paused) this.#resume()
    this.#drainTimer = setTimeout(
      () => this.#flow.abort(new Error('The response went on after its end.')),
      drainGraceMs,
    ).unref()
  }

  push(packet: Buffer): void {
    if (this.#state !== 'open') return
    const waiter = this.#waiter
    if (waiter !== null) {
      this.#waiter = null
      waiter.resolve({ value: packet, done: false })
      return
    }
    this.#queued.push(packet)
    this.#queuedBytes += packet.length
    if (this.#queuedBytes < highWaterBytes || this.#paused) return
    this.#paused = true
    this.#flow.pause()
  }

  end(): void {
    this.#settle('ended')
    this.#waiter?.resolve({ value: undefined, done: true })
    this.#waiter = null
  }

  /** `atOnce` throws away packets that were not read yet: the reader asked for the end. */
  fail(error: unknown, atOnce: boolean): void {
    if (this.#state === 'open') this.#error = error
    if (atOnce) this.#drop()
    this.#settle('failed')
    this.#waiter?.reject(error)
    this.#waiter = null
  }

  #settle(state: 'ended' | 'failed'): void {
    if (this.#state === 'open') this.#state = state
    if (this.#drainTimer !== null) clearTimeout(this.#drainTimer)
  }

  #drop(): void {
    this.#queued = []
    this.#queuedBytes = 0
  }

  #resume(): void {
    this.#paused = false
    this.#flow.resume()
  }
}
