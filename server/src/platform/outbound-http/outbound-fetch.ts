import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { boundedJson } from './bounded-json.ts'
import { openExchange } from './exchange.ts'
import { sentHeaders } from './sent-headers.ts'

export interface FetchLimits {
  /** Until the response begins, and for every pause within it. */
  readonly timeoutMs: number
  /** Of one response, in bytes on the wire. */
  readonly maxBytes: number
  /** Values of one JSON document or event in it. */
  readonly maxValues: number
}

/** Responses without a body (Fetch §2.2.3). */
const bodiless = new Set([101, 103, 204, 205, 304])

/**
 * A `fetch` that connects only where `dispatcher` allows. It supports what libraries for JSON over
 * HTTP send: a text body or none. It requests no content encoding, so that `maxBytes` limits what is
 * read.
 */
export function createOutboundFetch(
  dispatcher: (url: URL) => Dispatcher,
  { timeoutMs, maxBytes, maxValues }: FetchLimits,
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
      headers: sentHeaders(new Headers(headers)),
      body: body ?? null,
      firstByteTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      signal: signal ?? new AbortController().signal,
    })
    const { status } = exchange
    const isBodiless = bodiless.has(status)
    if (isBodiless) exchange.packets.drain()
    const stream = isBodiless
      ? null
      : ReadableStream.from(boundedJson(exchange, { maxBytes, maxValues }))
    return new Response(stream, { status, headers: flat(exchange.headers) })
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function methodOf(method: string): Dispatcher.HttpMethod {
  const known = methods.find((one) => one === method.toUpperCase())
  if (known === undefined) throw new TypeError(`${method} requests are not sent.`)
  return known
}

function flat(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
}
