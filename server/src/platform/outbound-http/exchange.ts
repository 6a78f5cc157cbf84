import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { PacketQueue } from './packet-queue.ts'
import type { ServingConnection } from './spaced-client.ts'
import type { SpacedReads } from './spaced-reads.ts'

interface ExchangeRequest {
  readonly dispatcher: Dispatcher
  readonly method: Dispatcher.HttpMethod
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  readonly firstByteTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

export interface Exchange {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly packets: PacketQueue
}

/** A body that is longer than its reader allows. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/**
 * Sends one request and resolves when the response's head arrives; `packets` delivers its body.
 * Aborting `signal` closes the socket at once, in any state of the exchange, and rejects with the
 * signal's reason.
 *
 * It uses undici's `dispatch`: `request` builds a readable stream per call, and `fetch` costs several
 * times more than that.
 */
export async function openExchange(request: ExchangeRequest): Promise<Exchange> {
  const { signal } = request
  signal.throwIfAborted()
  const head = Promise.withResolvers<Exchange>()
  request.dispatcher.dispatch(
    {
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body,
      headersTimeout: request.firstByteTimeoutMs,
      bodyTimeout: request.idleTimeoutMs,
    },
    new ExchangeHandler(signal, head),
  )
  return await head.promise
}

/** @throws BodyTooLarge */
export async function readAll(packets: PacketQueue, maxBytes: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(limited(packets, maxBytes)))
}

/**
 * The whole body as text. Decoded packet by packet: a long body at once would take longer than the
 * event loop may wait.
 *
 * @throws BodyTooLarge
 */
export async function readText(packets: PacketQueue, maxBytes: number): Promise<string> {
  let decoder: TextDecoder | null = null
  let text = ''
  let size = 0
  // Most bodies are one packet, which needs no decoder of its own.
  let packet = (await packets.next()).value
  while (packet !== undefined) {
    size += packet.length
    if (size > maxBytes) {
      packets.discard()
      throw tooLarge(maxBytes)
    }
    const next = (await packets.next()).value
    if (next === undefined && decoder === null) return utf8.decode(packet)
    decoder ??= new TextDecoder()
    text += decoder.decode(packet, { stream: true })
    packet = next
  }
  return text + (decoder?.decode() ?? '')
}

const utf8 = new TextDecoder()

function tooLarge(maxBytes: number): BodyTooLarge {
  return new BodyTooLarge(`The body is longer than ${maxBytes} bytes.`)
}

/**
 * Passes the packets on, and closes the connection when the body exceeds `maxBytes`.
 *
 * @throws BodyTooLarge
 */
export async function* limited(packets: PacketQueue, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const packet of packets) {
    size += packet.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    yield packet
  }
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal
  readonly #head: PromiseWithResolvers<Exchange>
  readonly #onAbort = () => this.#abort()
  #controller: Dispatcher.DispatchController | null = null
  #packets: PacketQueue | null = null
  #connection: ServingConnection | null = null
  #reads: SpacedReads | null = null

  constructor(signal: AbortSignal, head: PromiseWithResolvers<Exchange>) {
    this.#signal = signal
    this.#head = head
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  servedBy(connection: ServingConnection): void {
    this.#connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Aborted while waiting for a connection: the request is never written.
    if (this.#signal.aborted) this.#abort()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // RFC 9110 §15.2: informational responses precede the final one.
    if (status < 200) return
    this.#reads = this.#connection?.reads ?? null
    this.#packets = new PacketQueue(controller, this.#reads)
    this.#head.resolve({ status, headers, packets: this.#packets })
  }

  onResponseData(_controller: Dispatcher.DispatchController, packet: Buffer): void {
    this.#packets?.push(packet)
  }

  onResponseEnd(): void {
    this.#release()
    this.#packets?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release()
    if (this.#packets === null) this.#head.reject(error)
    else this.#packets.fail(error, false)
  }

  #abort(): void {
    this.#release()
    this.#packets?.fail(this.#signal.reason, true)
    this.#head.reject(this.#signal.reason)
    this.#controller?.abort(new Error('The caller aborted.'))
  }

  #release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#reads?.readAtOnce()
  }
}
