import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { createAddressPolicy, type AddressPolicy, type Resolve } from './address-policy.ts'
import { decodeBody } from './decode-body.ts'
import { BodyTooLarge, openExchange, readAll, type Exchange } from './exchange.ts'
import { OutboundRefused } from './outbound-refused.ts'
import { createOutboundFetch, type FetchLimits } from './outbound-fetch.ts'
import { createPools } from './pools.ts'
import type { ReadSchedule } from './read-schedule.ts'
import { sentHeaders } from './sent-headers.ts'

export interface OutboundOptions {
  /** Hosts (`name` or `name:port`) that are allowed although their addresses are private. */
  readonly allowPrivate: readonly string[]
  /** The name lookup; tests use their own. */
  readonly resolve?: Resolve
  /** When streams are read; each packet as it arrives by default. */
  readonly schedule?: ReadSchedule
}

interface OutboundRequest {
  readonly method?: Dispatcher.HttpMethod
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  /** For the whole request: lookups, redirects and the body. 10 seconds by default. */
  readonly timeoutMs?: number
  /** Of the body, both as sent and decompressed. 2 MiB by default. */
  readonly maxBytes?: number
  /** 5 by default; with 0 the response is the redirect itself. */
  readonly maxRedirects?: number
  /** Asked before a redirect to another origin is followed. All are followed by default. */
  readonly mayRedirect?: (url: URL) => boolean
  readonly httpsOnly?: boolean
}

export interface OutboundResponse {
  /** Where the response came from, after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Decompressed. */
  readonly body: Buffer
}

/** HTTP to addresses that users can choose. */
export interface Outbound {
  /**
   * Makes one request and reads its whole response, with any status. It ignores the environment's
   * proxies and keeps no cookies.
   *
   * @throws OutboundRefused; the signal's reason when the caller aborts
   */
  request(url: string | URL, request?: OutboundRequest): Promise<OutboundResponse>
  /**
   * Connections to the origin of `url`, for callers that stream the response. The URL is checked
   * here, the addresses it resolves to when connecting. Redirects are not followed.
   *
   * @throws OutboundRefused
   */
  dispatcher(url: URL): Dispatcher
  /**
   * A `fetch` for libraries that accept one, with streamed responses over the same checked
   * connections. It follows no redirects; `limits` apply to each of its requests.
   */
  fetch(limits: FetchLimits): typeof globalThis.fetch
  /** True for a host that the operator has listed (`OUTBOUND_ALLOW_PRIVATE`). */
  isListed(url: URL): boolean
  close(): Promise<void>
}

const connectTimeoutMs = 10_000

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** Headers kept on a redirect to another origin; any other could be a credential. */
const plainHeaders = new Set(['accept', 'accept-language', 'content-type', 'user-agent'])

interface Hop {
  readonly url: URL
  readonly method: Dispatcher.HttpMethod
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

export function createOutbound(options: OutboundOptions): Outbound {
  const policy = createAddressPolicy(options.allowPrivate, options.resolve)
  const { schedule } = options
  const publicPools = createPools({
    connectTimeoutMs,
    schedule,
    lookup: policy.resolvePublic,
    maxOrigins: 64,
    connectionsPerOrigin: 512,
  })
  const listedPools = createPools({
    connectTimeoutMs,
    schedule,
    lookup: policy.resolveListed,
  })

  function dispatcher(url: URL): Dispatcher {
    policy.admit(url)
    return (policy.isListed(url) ? listedPools : publicPools).forOrigin(url.origin)
  }

  return {
    request: (url, request = {}) => requestFollowing(url, request, policy, dispatcher),
    dispatcher,
    fetch: (limits) => createOutboundFetch(dispatcher, limits),
    isListed: (url) => policy.isListed(url),
    async close() {
      await Promise.all([publicPools.close(), listedPools.close()])
    },
  }
}

async function requestFollowing(
  target: string | URL,
  request: OutboundRequest,
  policy: AddressPolicy,
  dispatcher: (url: URL) => Dispatcher,
): Promise<OutboundResponse> {
  const timeoutMs = request.timeoutMs ?? 10_000
  const maxBytes = request.maxBytes ?? 2 * 1024 * 1024
  const maxRedirects = request.maxRedirects ?? 5
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
  const rules = { httpsOnly: request.httpsOnly ?? false }
  let hop = firstHop(target, request)
  try {
    for (let redirects = 0; ; redirects += 1) {
      policy.admit(hop.url, rules)
      const exchange = await openExchange({
        dispatcher: dispatcher(hop.url),
        method: hop.method,
        path: hop.url.pathname + hop.url.search,
        headers: { ...hop.headers, 'accept-encoding': 'gzip, br' },
        body: hop.body,
        firstByteTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
        signal,
      })
      const next = maxRedirects === 0 ? null : nextHop(hop, exchange)
      if (next === null) return await readResponse(hop, exchange, maxBytes)
      exchange.packets.discard()
      if (next.url.origin !== hop.url.origin && request.mayRedirect?.(next.url) === false)
        throw new OutboundRefused('redirect_refused', `No redirect to ${next.url.host}.`)
      if (redirects >= maxRedirects)
        throw new OutboundRefused('too_many_redirects', `More than ${maxRedirects} redirects.`)
      hop = next
    }
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason
    throw refusalOf(error, timeout)
  }
}

function firstHop(target: string | URL, request: OutboundRequest): Hop {
  if (!URL.canParse(String(target)))
    throw new OutboundRefused('bad_url', 'The address is not a URL.')
  return {
    url: new URL(String(target)),
    method: request.method ?? 'GET',
    headers: sentHeaders(Object.entries(request.headers ?? {})),
    body: request.body ?? null,
  }
}

/** RFC 9110 §15.4; null when the response is no redirect. */
function nextHop(hop: Hop, { status, headers }: Exchange): Hop | null {
  const { location } = headers
  if (!redirectStatuses.has(status) || location === undefined) return null
  if (!URL.canParse(location, hop.url))
    throw new OutboundRefused('bad_url', 'The redirect has no valid URL.')
  const url = new URL(location, hop.url)
  // 303 requires GET; every client also uses GET for 301 and 302 after POST (§15.4.2, note).
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') || (status < 303 && hop.method === 'POST')
  const sameOrigin = url.origin === hop.url.origin
  const kept = Object.entries(hop.headers).filter(
    ([name]) =>
      (sameOrigin || plainHeaders.has(name)) && !(becomesGet && name.startsWith('content-')),
  )
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(kept),
    body: becomesGet ? null : hop.body,
  }
}

async function readResponse(
  hop: Hop,
  { status, headers, packets }: Exchange,
  maxBytes: number,
): Promise<OutboundResponse> {
  const sent = await readAll(packets, maxBytes)
  const body = await decodeBody(sent, headers['content-encoding'], maxBytes)
  return { url: hop.url.href, status, headers, body }
}

function refusalOf(error: unknown, timeout: AbortSignal): OutboundRefused {
  if (error instanceof OutboundRefused) return error
  if (error instanceof BodyTooLarge)
    return new OutboundRefused('too_large', error.message, { cause: error })
  const detail = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const late = timeout.aborted || code.endsWith('TIMEOUT') || code === 'ETIMEDOUT'
  return new OutboundRefused(late ? 'timeout' : 'unreachable', detail, { cause: error })
}
