import type { Dispatcher } from 'undici'
import type { SpacedReads } from './spaced-reads.ts'

/** How a queue controls the connection that fills it. */
type PacketFlow = Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'abort'>

/** Bytes queued for a slow reader before the connection is paused. */
const highWaterBytes = 64 * 1024

/** Packets that arrived together are read together, up to this size: they are copied for that. */
const joinedBytes = 8 * 1024

/** How long the unread rest of a response may keep its connection, in milliseconds. */
const drainGraceMs = 1000

/**
 * The body of a response as it arrives: a packet at a time, or the short ones that came together. A slow
 * reader pauses the connection, which bounds the memory and slows the sender down.
 */
export class PacketQueue implements AsyncIterableIterator<Buffer, undefined> {
  readonly #flow: PacketFlow
  readonly #reads: SpacedReads | null
  #queued: Buffer[] = []
  #queuedBytes = 0
  #paused = false
  #waiter: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | null = null
  #state: 'open' | 'ended' | 'failed' | 'draining' = 'open'
  #error: unknown = null
  #drainTimer: NodeJS.Timeout | null = null

  /** @param reads of the connection; null if its reads cannot wait */
  constructor(flow: PacketFlow, reads: SpacedReads | null = null) {
    this.#flow = flow
    this.#reads = reads
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Whether the next packet is there already. */
  get hasPacket(): boolean {
    return this.#queued.length > 0
  }

  /** From now on, reads may wait for more, as long as the body lasts. */
  space(): void {
    if (this.#state === 'open') this.#reads?.space()
  }

  /** Undoes `space`. */
  readAtOnce(): void {
    this.#reads?.readAtOnce()
  }

  /** The next packet. Packets received before a failure are returned before it is thrown. */
  next(): Promise<IteratorResult<Buffer, undefined>> {
    if (this.#queued.length > 0) return Promise.resolve({ value: this.#take(), done: false })
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
    this.readAtOnce()
    if (this.#paused) this.#resume()
    this.#drainTimer = setTimeout(
      () => this.#flow.abort(new Error('The response continued after its end.')),
      drainGraceMs,
    ).unref()
  }

  push(packet: Buffer): void {
    if (this.#state !== 'open') return
    if (this.#waiter !== null && this.#queued.length === 0) this.#serveSoon()
    this.#queued.push(packet)
    this.#queuedBytes += packet.length
    if (this.#queuedBytes < highWaterBytes || this.#paused) return
    this.#paused = true
    this.#flow.pause()
  }

  end(): void {
    this.#settle('ended')
    if (this.#queued.length > 0) return
    this.#waiter?.resolve({ value: undefined, done: true })
    this.#waiter = null
  }

  /** @param atOnce drops packets that were not read yet, because the reader itself aborted */
  fail(error: unknown, atOnce: boolean): void {
    if (this.#state === 'open') this.#error = error
    if (atOnce) this.#drop()
    this.#settle('failed')
    if (this.#queued.length > 0) return
    this.#waiter?.reject(error)
    this.#waiter = null
  }

  /**
   * The parser passes on all of what it has read before the reader continues. Of a read with TLS, it gets
   * one record after the other.
   */
  #serveSoon(): void {
    if (this.#reads?.waits) setImmediate(() => this.#serve())
    else queueMicrotask(() => this.#serve())
  }

  /** Passes on what has arrived to the reader that waits for it. */
  #serve(): void {
    if (this.#waiter === null || this.#queued.length === 0) return
    const { resolve } = this.#waiter
    this.#waiter = null
    resolve({ value: this.#take(), done: false })
  }

  /** Of packets that are there: the first one, with those after it that are short enough. */
  #take(): Buffer {
    let count = 0
    let bytes = 0
    for (const { length } of this.#queued) {
      if (count > 0 && bytes + length > joinedBytes) break
      count += 1
      bytes += length
    }
    const taken = this.#queued.splice(0, count)
    this.#queuedBytes -= bytes
    if (this.#paused && this.#queued.length === 0) this.#resume()
    return taken.length === 1 && taken[0] !== undefined ? taken[0] : Buffer.concat(taken, bytes)
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
