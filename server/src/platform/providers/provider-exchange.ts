import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { withoutEnd } from '#kernel/without-end.ts'
import { ModelFailure, type ProviderAccess, type RequestField } from '#platform/models/model.ts'
import { openExchange, readAll, type Exchange } from '#platform/outbound-http/exchange.ts'
import {
  codeOf,
  failureOfError,
  failureOfStatus,
  logDetail,
  retryAfterSeconds,
} from './failures.ts'

/** Longest answer that is read, in bytes on the wire. */
export const maxAnswerBytes = 16 * 1024 * 1024

/**
 * Each answer that runs is in memory several times: as text, as it is sent, and as it is stored.
 *
 * @param length of its text, its reasoning and its calls, in characters
 * @throws ModelFailure `bad_answer`
 */
export function requireAnswerLength({ maxAnswerLength: most }: ProviderHttp, length: number): void {
  if (length > most) throw new ModelFailure('bad_answer', `The answer has over ${most} characters.`)
}

export function lengthOfCalls(calls: readonly { readonly arguments: string }[]): number {
  return calls.reduce((sum, call) => sum + call.arguments.length, 0)
}

/** How adapters reach providers. */
export interface ProviderHttp {
  /** The most characters of an answer. */
  readonly maxAnswerLength: number
  readonly timeouts: { readonly firstByteTimeoutMs: number; readonly idleTimeoutMs: number }
  /**
   * Where a connection comes from, asked for every attempt: an address from the environment is
   * dialled as it is, one that a person typed is checked.
   */
  dispatcher(access: ProviderAccess, url: URL): Dispatcher
}

export interface ProviderCall {
  readonly access: ProviderAccess
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/**
 * The address of a provider, without a slash at its end.
 *
 * @throws ModelFailure `refused_request`
 */
export function addressOf({ provider, baseUrl }: ProviderAccess): string {
  if (baseUrl === null || !URL.canParse(baseUrl))
    throw new ModelFailure('refused_request', `Provider ${provider} has no usable address.`)
  return withoutEnd(baseUrl, '/')
}

/** An address with the API's version, which people leave out of a bare origin. */
export function versionedAddressOf(access: ProviderAccess, version: string): string {
  const address = addressOf(access)
  return new URL(address).pathname === '/' ? `${address}${version}` : address
}

/** Pauses before the second and the third attempt, in milliseconds. */
const retryDelaysMs = [50, 250]

/** The connection was never opened, or broke while the request was written. */
const connectCodes = new Set(
  'ECONNREFUSED ECONNRESET EPIPE EAI_AGAIN ENETUNREACH EHOSTUNREACH UND_ERR_CLOSED'.split(' '),
)

/**
 * Posts to a provider and resolves with any response. Retries at most twice, and only before the
 * first byte of an answer, when the connection failed or the provider's proxy answered 502 or 503.
 * A 429 is left to the caller, and a timeout is not retried: the user has waited long enough.
 *
 * @throws ModelFailure; the signal's reason when the caller aborts
 */
export async function callProvider(http: ProviderHttp, call: ProviderCall): Promise<Exchange> {
  for (let attempt = 0; ; attempt += 1) {
    const retryDelayMs = retryDelaysMs[attempt]
    try {
      const exchange = await post(http, call)
      if (retryDelayMs === undefined || !isPassing(exchange)) return exchange
      exchange.packets.drain()
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason
      if (retryDelayMs === undefined || !isConnectionTrouble(error))
        throw failureOfError(error, false)
    }
    // If aborted during the pause, this rejects with its own error; the next attempt throws the
    // signal's reason.
    await sleep(retryDelayMs, undefined, { signal: call.signal }).catch(() => undefined)
  }
}

/** Reads the body of a refusal and throws the failure that it means. */
export async function throwRefusal(
  exchange: Exchange,
  apiKey: string | null,
  fieldOf: (body: string) => RequestField | null = () => null,
): Promise<never> {
  const body = await readAll(exchange.packets, 64 * 1024).catch((error: unknown) =>
    Buffer.from(`(body unreadable: ${String(error)})`),
  )
  const text = body.toString()
  throw failureOfStatus(exchange.status, exchange.headers, logDetail(text, apiKey), fieldOf(text))
}

/** Async, so that a refusal to dial rejects like other errors. */
async function post(http: ProviderHttp, { access, url, ...request }: ProviderCall) {
  return openExchange({
    ...http.timeouts,
    ...request,
    dispatcher: http.dispatcher(access, url),
    method: 'POST',
    path: url.pathname + url.search,
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
 * True when the server closed a kept-alive connection while we wrote to it. A connection that closes
 * without ever having answered belongs to a server that refuses this request: a retry would not help.
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
