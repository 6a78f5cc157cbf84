import type { IncomingHttpHeaders } from 'node:http'
import { BodyTooLarge } from '#platform/outbound-http/exchange.ts'
import { OutboundRefused } from '#platform/outbound-http/outbound-refused.ts'
import {
  ModelFailure,
  type ModelFailureReason,
  type ModelRequest,
  type RequestField,
} from '#platform/models/model.ts'

const maxDetailLength = 500
/** The part of a text that is searched for them. */
const maxDetailRead = 64 * 1024

/** A provider's text for the log: short, on one line, without the key. */
export function logDetail(text: string, apiKey: string | null): string {
  const beginning = text.slice(0, maxDetailRead)
  const safe = apiKey === null ? beginning : beginning.replaceAll(apiKey, '[key]')
  const line = safe.replace(/\s+/g, ' ').trim()
  return line.length > maxDetailLength ? `${line.slice(0, maxDetailLength)}…` : line
}

/** The failure for an HTTP status other than 2xx. */
export function failureOfStatus(
  status: number,
  headers: IncomingHttpHeaders,
  detail: string,
  field: RequestField | null = null,
): ModelFailure {
  return new ModelFailure(reasonOfStatus(status), `HTTP ${status}: ${detail}`, {
    retryAfterSeconds: retryAfterSeconds(headers['retry-after'], Date.now()),
    status,
    field,
  })
}

function reasonOfStatus(status: number): ModelFailureReason {
  if (status === 429) return 'limited'
  // 402: the account at the provider is out of credit, which the caller cannot fix either.
  if (status === 401 || status === 402 || status === 403) return 'rejected'
  if (status === 408 || status === 504) return 'timeout'
  if (status >= 500) return 'unreachable'
  if (status >= 400) return 'refused_request'
  return 'bad_answer'
}

/**
 * `Retry-After` in whole seconds; the header is a number of seconds or a date (RFC 9110 §10.2.3).
 *
 * @param now epoch milliseconds
 * @returns null when absent or neither
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | null {
  const value = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value)
  // A date begins with the day's name; `Date.parse` alone accepts almost anything.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}

/**
 * The failure for a connection's error; a `ModelFailure` is returned as it is.
 *
 * @param answering whether the response had begun: a connection that breaks then is a bad answer
 */
export function failureOfError(error: unknown, answering: boolean): ModelFailure {
  if (error instanceof ModelFailure) return error
  const code = codeOf(error)
  const reason = error instanceof Error ? error.message : String(error)
  // Node's messages contain the code, those of other libraries do not.
  const detail = logDetail(reason.includes(code) ? reason : `${code} ${reason}`, null)
  return new ModelFailure(reasonOfError(error, code, answering), detail, { cause: error })
}

function reasonOfError(error: unknown, code: string, answering: boolean): ModelFailureReason {
  if (code.endsWith('_TIMEOUT') || code === 'ETIMEDOUT') return 'timeout'
  if (error instanceof OutboundRefused)
    return error.reason === 'timeout' ? 'timeout' : 'unreachable'
  const garbage =
    error instanceof BodyTooLarge || (error instanceof Error && error.name === 'HTTPParserError')
  return answering || garbage ? 'bad_answer' : 'unreachable'
}

/**
 * Runs a step of a call and turns its errors into the port's failure.
 *
 * @param answering whether the response has begun
 * @throws ModelFailure; the signal's reason when the caller aborts
 */
export async function asFailure<T>(
  { access, signal }: Pick<ModelRequest, 'access' | 'signal'>,
  answering: boolean,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw failureOfStep({ access, signal }, answering, error)
  }
}

/** What to throw for an error of a step: see `asFailure`. */
export function failureOfStep(
  { access, signal }: Pick<ModelRequest, 'access' | 'signal'>,
  answering: boolean,
  error: unknown,
): unknown {
  if (signal.aborted) return signal.reason
  const { reason, message, ...rest } = failureOfError(error, answering)
  const { retryAfterSeconds, status, field } = rest
  const options = { cause: error, retryAfterSeconds, status, field }
  return new ModelFailure(reason, logDetail(message, access.apiKey), options)
}

/** The code of an error; of a failed connection to several addresses, that of the first. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
