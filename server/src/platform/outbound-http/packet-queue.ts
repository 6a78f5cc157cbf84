import type { Dispatcher } from 'undici'

/** How a queue controls the connection that fills it. */
type PacketFlow = Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'abort'>

/** Bytes queued for a slow reader before the connection is paused. */
const highWaterBytes = 64 * 1024

/** How long the unread rest of a response may keep its connection, in milliseconds. */
const drainGraceMs = 1000

/**
 * The body of a response, one network packet at a time. A slow reader pauses the connection, which
 * bounds the memory and slows the sender down.
 */
export class PacketQueue implements AsyncIterableIterator<Buffer, undefined> {
  readonly #flow: PacketFlow
  #queued: Buffer[] = []
  #queuedBytes = 0
  #paused = false
  #waiter: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | null = null
  #state: 'open' | 'ended' | 'failed' | 'draining' = 'open'
  #error: unknown = null
  #drainTimer: NodeJS.Timeout | null = null

  constructor(flow: PacketFlow) {
    this.#flow = flow
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Whether the next packet is there already. */
  get hasPacket(): boolean {
    return this.#queued.length > 0
  }

  /** The next packet. Packets received before a failure are returned before it is thrown. */
  next(): Promise<IteratorResult<Buffer, undefined>> {
    const packet = this.#queued.shift()
    if (packet !== undefined) {
      this.#queuedBytes -= packet.length
      if (this.#paused && this.#queued.length === 0) this.#resume()
      return Promise.resolve({ value: packet, done: false })
    }
    if (this.#state === 'failed') return Promise.reject(this.#error)
    if (this.#state !== 'open') return Promise.resolve({ value: undefined, done: true })
    this.#waiter = Promise.withResolvers()
    return this.#waiter.promise
  }

  /** Ends reading early: the connection is closed unless the body is already complete. */
  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.discard()
    return Promise.resolve({ value: undefined, done: true })
  }

  /** Drops queued packets and closes the connection unless the body is already complete. */
  discard(): void {
    if (this.#state !== 'open') return
    this.#drop()
    this.#state = 'ended'
    this.#flow.abort(new Error('The reader of the response stopped.'))
  }

  /**
   * Discards the rest of a body that is about to end, so that its connection can be reused. If the
   * body does not end within a second, the connection is closed.
   */
  drain(): void {
    if (this.#state !== 'open') return
    this.#drop()
    this.#state = 'draining'
    if (this.#paused) this.#resume()
    this.#drainTimer = setTimeout(
      () => this.#flow.abort(new Error('The response continued after its end.')),
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

  /** @param atOnce drops packets that were not read yet, because the reader itself aborted */
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
