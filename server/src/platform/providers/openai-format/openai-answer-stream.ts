import { CpuSlice } from '#kernel/cpu-slice.ts'
import {
  ModelFailure,
  type AnswerListener,
  type ModelFinish,
  type ModelRequest,
  type ModelUsage,
} from '#platform/models/model.ts'
import type { PacketQueue } from '#platform/outbound-http/packet-queue.ts'
import { requireAnswerLength, type ProviderHttp } from '#platform/providers/provider-exchange.ts'
import { ChunkReader } from './chunk-reader.ts'
import { EventStreamReader } from './event-stream.ts'
import { CallAssembly } from './openai-tools.ts'
import { finishOf } from './openai-wire.ts'

/** Longest stream that is read, in bytes on the wire. */
const maxStreamBytes = 64 * 1024 * 1024

/** Bytes that are read before the clock is looked at. Longer packets are rare: most are one event. */
const pieceBytes = 16 * 1024

/** A model's usual packets take far less. Of 1,000 streams, those that waited would stand still. */
const packetMs = 1

type TextKind = 'reasoning' | 'text' | 'refusal'

/** Texts of one kind, or the place of calls, which `CallAssembly` holds. */
type Pieces = { readonly kind: TextKind; readonly texts: string[] } | { readonly kind: 'calls' }

/**
 * One answer as it streams in. It is complete after `[DONE]`, or when the connection ends after a
 * finish reason: some servers leave `[DONE]` out. Any other end means that it was cut off.
 */
export class AnswerStream {
  readonly #reader = new EventStreamReader()
  readonly #chunks = new ChunkReader()
  #finishReason: string | null = null
  #usage: ModelUsage | null = null
  #calls: CallAssembly | null = null
  #bytes = 0
  /** In characters. */
  #length = 0
  #rest: Buffer | null = null
  readonly #http: ProviderHttp
  readonly #hear: Pick<ModelRequest, 'hearReasoning' | 'hearCalls'>
  /** What the current packet holds, in the order of the model. */
  #pieces: Pieces[] = []
  /** Begins with a packet that had to be waited for. */
  #slice = new CpuSlice(packetMs)
  #finish: ModelFinish | null = null

  constructor(http: ProviderHttp, hear: Pick<ModelRequest, 'hearReasoning' | 'hearCalls'> = {}) {
    this.#http = http
    this.#hear = hear
  }

  /** Whether the answer is complete. */
  get isFinished(): boolean {
    return this.#finish !== null
  }

  /**
   * Reads the whole answer. Text before an error is part of it: the listener gets it first.
   *
   * @param failureOf what to throw for an error of the stream: a ModelFailure `bad_answer` or the
   *   connection's own error
   */
  async read(
    packets: PacketQueue,
    listener: AnswerListener,
    failureOf: (error: unknown) => unknown,
  ): Promise<ModelFinish> {
    while (this.#finish === null) {
      let failure: unknown
      try {
        const packet = await this.#nextPacket(packets)
        if (packet === null) this.#takeEnd()
        else this.#takePacket(packet)
      } catch (error) {
        failure = failureOf(error)
      }
      for (const pieces of this.#pieces.splice(0)) {
        const pause = this.#passOn(pieces, listener)
        if (pause !== undefined) await pause
      }
      if (failure !== undefined) throw failure
      this.#spaceReads(packets)
    }
    return this.#finish
  }

  #passOn(passed: Pieces, listener: AnswerListener): void | Promise<void> {
    if (passed.kind === 'text') return listener(passed.texts)
    if (passed.kind === 'refusal') return listener(passed.texts, true)
    if (passed.kind === 'reasoning') return this.#hear.hearReasoning?.(passed.texts)
    const { hearCalls } = this.#hear
    const pieces = hearCalls === undefined ? [] : (this.#calls?.newPieces() ?? [])
    return pieces.length > 0 ? hearCalls?.(pieces) : undefined
  }

  /** Text may wait for the text after it, but neither its beginning nor a call of a tool may. */
  #spaceReads(packets: PacketQueue): void {
    if (this.#calls !== null) packets.readAtOnce()
    else if (this.#length > 0) packets.space()
  }

  #takePacket(packet: Buffer): void {
    this.#bytes += packet.length
    if (this.#bytes > maxStreamBytes)
      throw new ModelFailure('bad_answer', `The answer is over ${maxStreamBytes} bytes long.`)
    for (const data of this.#reader.read(packet)) if (!this.isFinished) this.#take(data)
  }

  #takeEnd(): void {
    const last = this.#reader.end()
    if (last !== null) this.#take(last)
    if (this.isFinished) return
    if (this.#finishReason === null)
      throw new ModelFailure('bad_answer', 'The stream ended without a finish reason.')
    this.#end()
  }

  /**
   * A packet, or a piece of a long one. Null at the end of the connection, and when it breaks after the
   * answer is complete.
   */
  async #nextPacket(packets: PacketQueue): Promise<Buffer | null> {
    const isWaiting = this.#rest === null && !packets.hasPacket
    if (!isWaiting && this.#slice.isOver) await this.#slice.next()
    let packet = this.#rest
    try {
      packet ??= (await packets.next()).value ?? null
    } catch (error) {
      if (this.#finishReason === null) throw error
    }
    if (isWaiting) this.#slice = new CpuSlice(packetMs)
    if (packet === null || packet.length <= pieceBytes) {
      this.#rest = null
      return packet
    }
    this.#rest = packet.subarray(pieceBytes)
    return packet.subarray(0, pieceBytes)
  }

  #take(data: string): void {
    if (data === '[DONE]') return this.#end()
    const chunk = this.#chunks.read(data)
    this.#length += chunk.text.length + chunk.reasoning.length + chunk.refusal.length
    for (const piece of chunk.calls) this.#length += piece.arguments.length
    requireAnswerLength(this.#http, this.#length)
    if (chunk.reasoning !== '') this.#add('reasoning', chunk.reasoning)
    if (chunk.text !== '') this.#add('text', chunk.text)
    if (chunk.refusal !== '') this.#add('refusal', chunk.refusal)
    for (const piece of chunk.calls) (this.#calls ??= new CallAssembly()).take(piece)
    if (chunk.calls.length > 0 && this.#pieces.at(-1)?.kind !== 'calls')
      this.#pieces.push({ kind: 'calls' })
    this.#finishReason = chunk.finishReason ?? this.#finishReason
    this.#usage = chunk.usage ?? this.#usage
    return undefined
  }

  #add(kind: TextKind, text: string): void {
    const last = this.#pieces.at(-1)
    if (last?.kind === kind) last.texts.push(text)
    else this.#pieces.push({ kind, texts: [text] })
  }

  #end(): void {
    this.#finish = {
      ...finishOf(this.#finishReason, this.#calls?.calls ?? []),
      usage: this.#usage,
      citedPassages: null,
    }
  }
}
