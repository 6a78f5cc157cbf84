import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { PacketQueue } from '#platform/outbound-http/packet-queue.ts'
import { EventStreamReader } from './event-stream.ts'
import { ModelFailure, type ModelEvent, type ModelUsage } from '#platform/models/model.ts'
import { CallAssembly } from './openai-tools.ts'
import { finishOf, readChunk } from './openai-wire.ts'

/** Longest stream that is read, in bytes on the wire. */
const maxStreamBytes = 64 * 1024 * 1024

/** Bytes that are read before the clock is looked at. Longer packets are rare: most are one event. */
const pieceBytes = 16 * 1024

/**
 * One answer as it streams in. It is complete after `[DONE]`, or when the connection ends after a
 * finish reason: some servers leave `[DONE]` out. Any other end means that it was cut off.
 */
export class AnswerStream {
  readonly #reader = new EventStreamReader()
  #finishReason: string | null = null
  #usage: ModelUsage | null = null
  #calls: CallAssembly | null = null
  #bytes = 0
  #failure: unknown = null
  #rest: Buffer | null = null
  /** Begins with a packet that had to be waited for. */
  #slice = new CpuSlice()
  finished = false

  /**
   * The events that the next packet completes. The very last event is `finish`.
   *
   * @throws ModelFailure `bad_answer`, or the connection's own error
   */
  async readNext(packets: PacketQueue): Promise<readonly ModelEvent[]> {
    if (this.#failure !== null) throw this.#failure
    const events: ModelEvent[] = []
    const packet = await this.#nextPacket(packets)
    try {
      if (packet === null) this.#takeEnd(events)
      else this.#takePacket(packet, events)
    } catch (error) {
      // Text before the error is part of the answer: it is returned first, and the next call throws.
      if (events.length === 0) throw error
      this.#failure = error
    }
    return events
  }

  #takePacket(packet: Buffer, events: ModelEvent[]): void {
    this.#bytes += packet.length
    if (this.#bytes > maxStreamBytes)
      throw new ModelFailure('bad_answer', `The answer is over ${maxStreamBytes} bytes long.`)
    for (const data of this.#reader.read(packet)) if (!this.finished) this.#take(data, events)
  }

  #takeEnd(events: ModelEvent[]): void {
    const last = this.#reader.end()
    if (last !== null) this.#take(last, events)
    if (this.finished) return
    if (this.#finishReason === null)
      throw new ModelFailure('bad_answer', 'The stream ended without a finish reason.')
    this.#finish(events)
  }

  /**
   * A packet, or a piece of a long one. Null at the end of the connection, and when it breaks after the
   * answer is complete.
   */
  async #nextPacket(packets: PacketQueue): Promise<Buffer | null> {
    const isWaiting = this.#rest === null && !packets.hasPacket
    if (!isWaiting && this.#slice.isOver) await this.#slice.next()
    const packet = this.#rest ?? (await this.#receive(packets))
    if (isWaiting) this.#slice = new CpuSlice()
    if (packet === null || packet.length <= pieceBytes) {
      this.#rest = null
      return packet
    }
    this.#rest = packet.subarray(pieceBytes)
    return packet.subarray(0, pieceBytes)
  }

  async #receive(packets: PacketQueue): Promise<Buffer | null> {
    try {
      return (await packets.next()).value ?? null
    } catch (error) {
      if (this.#finishReason === null) throw error
      return null
    }
  }

  #take(data: string, events: ModelEvent[]): void {
    if (data === '[DONE]') return this.#finish(events)
    const chunk = readChunk(data)
    if (chunk.text !== '') events.push({ type: 'text', text: chunk.text })
    for (const piece of chunk.calls) (this.#calls ??= new CallAssembly()).take(piece)
    this.#finishReason = chunk.finishReason ?? this.#finishReason
    this.#usage = chunk.usage ?? this.#usage
    return undefined
  }

  #finish(events: ModelEvent[]): void {
    this.finished = true
    events.push({
      type: 'finish',
      ...finishOf(this.#finishReason, this.#calls?.calls ?? []),
      usage: this.#usage,
      citedPassages: null,
    })
  }
}
