import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { openExchange, readAll, type Exchange } from '#platform/outbound-http/exchange.ts'
import {
  codeOf,
  failureOfError,
  failureOfStatus,
  logDetail,
  retryAfterSeconds,
} from './failures.ts'

export interface ProviderTimeouts {
  readonly firstByteTimeoutMs: number
  readonly idleTimeoutMs: number
}

/** Where connections to a provider come from; asked anew for every attempt. */
export type DispatcherOf = (url: URL) => Dispatcher

export interface ProviderCall extends ProviderTimeouts {
  readonly url: URL
  readonly dispatcherOf: DispatcherOf
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly signal: AbortSignal
}

/** Waits before the second and the third attempt, in milliseconds. */
const retryDelaysMs = [50, 250]

/** A connection that was never made, or that broke with the request half written. */
const connectCodes = new Set(
  'ECONNREFUSED ECONNRESET EPIPE EAI_AGAIN ENETUNREACH EHOSTUNREACH UND_ERR_CLOSED'.split(' '),
)

/**
 * Posts to a provider and resolves with any response it gives. Tries again, at most twice and only
 * before the first byte of an answer, when the connection failed or the provider's proxy said 502
 * or 503. A 429 is the caller's to obey, and a timeout was wait enough.
 *
 * @throws ModelFailure; the signal's reason when the caller aborts
 */
export async function callProvider(call: ProviderCall): Promise<Exchange> {
  for (let attempt = 0; ; attempt += 1) {
    const retryDelayMs = retryDelaysMs[attempt]
    try {
      const exchange = await post(call)
      if (retryDelayMs === undefined || !isPassing(exchange)) return exchange
      exchange.packets.drain()
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason
      if (retryDelayMs === undefined || !isConnectionTrouble(error))
        throw failureOfError(error, false)
    }
    // When aborted while waiting, this rejects with its own error; the next attempt throws the
    // reason.
    await sleep(retryDelayMs, undefined, { signal: call.signal }).catch(() => undefined)
  }
}

/** Reads the body of a refusal and throws what it stands for. */
export async function throwRefusal(exchange: Exchange, apiKey: string | null): Promise<never> {
  const body = await readAll(exchange.packets, 64 * 1024).catch((error: unknown) =>
    Buffer.from(`(body unreadable: ${String(error)})`),
  )
  throw failureOfStatus(exchange.status, exchange.headers, logDetail(body.toString(), apiKey))
}

/** Async, so that a refusal to dial rejects like any other error. */
async function post(call: ProviderCall): Promise<Exchange> {
  return openExchange({
    dispatcher: call.dispatcherOf(call.url),
    method: 'POST',
    path: call.url.pathname + call.url.search,
    headers: call.headers,
    body: call.body,
    firstByteTimeoutMs: call.firstByteTimeoutMs,
    idleTimeoutMs: call.idleTimeoutMs,
    signal: call.signal,
  })
}

function isPassing({ status, headers }: Exchange): boolean {
  if (status !== 502 && status !== 503) return false
  const seconds = retryAfterSeconds(headers['retry-after'], Date.now())
  return seconds === null || seconds <= 1
}

function isConnectionTrouble(error: unknown): boolean {
  const code = codeOf(error)
  return connectCodes.has(code) || (code === 'UND_ERR_SOCKET' && servedBefore(error))
}

/**
 * True when a kept-alive connection was closed by the server as we wrote to it. One that closes
 * without ever having answered is a server that refuses this request: retrying is no use.
 */
function servedBefore(error: unknown): boolean {
  if (!(error instanceof Error) || !('socket' in error)) return false
  const { socket } = error
  return (
    typeof socket === 'object' &&
    socket !== null &&
    'bytesRead' in socket &&
    Number(socket.bytesRead) > 0
  )
}
