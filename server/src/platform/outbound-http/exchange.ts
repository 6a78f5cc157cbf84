import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { PacketQueue } from './packet-queue.ts'

export interface ExchangeRequest {
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

/** A body that grew over the bytes its reader allows. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/**
 * Sends one request and resolves when the response's head is there; its body comes through
 * `packets`. Aborting `signal` closes the socket at once, whatever the exchange is doing, and
 * rejects with the signal's reason.
 *
 * Works on undici's dispatch level: `request` builds a readable stream per call and `fetch` costs
 * several times as much again.
 */
export function openExchange(request: ExchangeRequest): Promise<Exchange> {
  const { signal } = request
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(signal, resolve, reject)
    request.dispatcher.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: request.body,
        headersTimeout: request.firstByteTimeoutMs,
        bodyTimeout: request.idleTimeoutMs,
      },
      handler,
    )
  })
}

/**
 * Reads a whole body, closing the connection when it has more than `maxBytes`.
 *
 * @throws BodyTooLarge
 */
export async function readAll(packets: PacketQueue, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const packet of packets) {
    size += packet.length
    if (size > maxBytes) throw new BodyTooLarge(`The body has more than ${maxBytes} bytes.`)
    pieces.push(packet)
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal
  readonly #resolve: (exchange: Exchange) => void
  readonly #reject: (error: unknown) => void
  readonly #onAbort = () => this.#abort()
  #controller: Dispatcher.DispatchController | null = null
  #packets: PacketQueue | null = null

  constructor(
    signal: AbortSignal,
    resolve: (exchange: Exchange) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    signal.addEventListener('abort', this.#onAbort, { once: true })
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
    // RFC 9110 §15.2: informational responses come before the one that counts.
    if (status < 200) return
    this.#packets = new PacketQueue(controller)
    this.#resolve({ status, headers, packets: this.#packets })
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
    if (this.#packets === null) this.#reject(error)
    else this.#packets.fail(error, false)
  }

  #abort(): void {
    this.#release()
    this.#packets?.fail(this.#signal.reason, true)
    this.#reject(this.#signal.reason)
    this.#controller?.abort(new Error('The caller aborted.'))
  }

  #release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
  }
}
