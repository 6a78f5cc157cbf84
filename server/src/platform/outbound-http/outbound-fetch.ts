import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { BodyTooLarge, openExchange } from './exchange.ts'
import { isOwnHeader } from './own-headers.ts'
import type { PacketQueue } from './packet-queue.ts'

export interface FetchLimits {
  /** Until the answer begins, and for every pause within it. */
  readonly timeoutMs: number
  /** Of one answer, in bytes on the wire. */
  readonly maxBytes: number
}

/** Fetch §2.2.3: their answers have no body. */
const bodiless = new Set([101, 103, 204, 205, 304])

/**
 * A `fetch` that dials what `dispatcher` allows. It knows what libraries of JSON over HTTP send:
 * text or no body; and asks for no content encoding, so that the limit holds for what is read.
 */
export function createOutboundFetch(
  dispatcher: (url: URL) => Dispatcher,
  { timeoutMs, maxBytes }: FetchLimits,
): typeof globalThis.fetch {
  return async (input, init) => {
    const { body, headers, method = 'GET', signal } = init ?? {}
    if (body !== undefined && body !== null && typeof body !== 'string')
      throw new TypeError('Only text bodies are sent.')
    const url = new URL(input instanceof Request ? input.url : input)
    const exchange = await openExchange({
      dispatcher: dispatcher(url),
      method: methodOf(method),
      path: url.pathname + url.search,
      headers: sendable(headers),
      body: body ?? null,
      firstByteTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      signal: signal ?? new AbortController().signal,
    })
    const { status } = exchange
    const isBodiless = bodiless.has(status)
    if (isBodiless) exchange.packets.drain()
    const stream = isBodiless ? null : ReadableStream.from(limited(exchange.packets, maxBytes))
    return new Response(stream, { status, headers: flat(exchange.headers) })
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function methodOf(method: string): Dispatcher.HttpMethod {
  const known = methods.find((one) => one === method.toUpperCase())
  if (known === undefined) throw new TypeError(`${method} requests are not sent.`)
  return known
}

async function* limited(packets: PacketQueue, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const packet of packets) {
    size += packet.length
    if (size > maxBytes) throw new BodyTooLarge(`The body has more than ${maxBytes} bytes.`)
    yield packet
  }
}

function sendable(headers: RequestInit['headers']): Record<string, string> {
  const given = [...new Headers(headers)].filter(([name]) => !isOwnHeader(name))
  return { 'user-agent': 'Parley', ...Object.fromEntries(given) }
}

function flat(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
}
