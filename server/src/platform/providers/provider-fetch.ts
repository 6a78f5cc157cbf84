import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderAccess } from '#platform/models/model.ts'
import type { PacketQueue } from '#platform/outbound-http/packet-queue.ts'
import { boundedJson, type JsonLimits } from '#platform/outbound-http/bounded-json.ts'
import { callProvider, maxAnswerBytes, type ProviderHttp } from './provider-exchange.ts'

/** Libraries parse and check an answer or an event at once. */
const answerLimits: JsonLimits = { maxBytes: maxAnswerBytes, maxValues: 20_000 }

export type ProviderFetch = typeof globalThis.fetch

/**
 * A `fetch` over our own connections for libraries that accept one, with the same pools, timeouts
 * and retries as the rest of the model traffic. It supports what such a library sends: a POST with
 * a text body.
 *
 * @param opened gets the body of each response, to space its reads
 */
export function createProviderFetch(
  http: ProviderHttp,
  access: ProviderAccess,
  limits: JsonLimits = answerLimits,
  opened?: (packets: PacketQueue) => void,
): ProviderFetch {
  return async (input, init) => {
    const { body, headers, signal } = init ?? {}
    if (typeof body !== 'string') throw new TypeError('Only text bodies are sent to providers.')
    const exchange = await callProvider(http, {
      access,
      url: new URL(input instanceof Request ? input.url : input),
      headers: Object.fromEntries(new Headers(headers)),
      body,
      signal: signal ?? new AbortController().signal,
    })
    opened?.(exchange.packets)
    return new Response(ReadableStream.from(boundedJson(exchange, limits)), {
      status: exchange.status,
      headers: flat(exchange.headers),
    })
  }
}

function flat(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
}
