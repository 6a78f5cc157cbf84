import type { HonoRequest, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { JsonProblem, maxJsonLevels } from '#kernel/json.ts'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import type { HttpEnvironment } from './environment.ts'
import { requestFaults } from './request-faults.ts'
import { serviceAddress } from './service-address.ts'

const noDomain = /^http:\/\/(?:[\d.]+|\[[\da-f:.]+\]|[\w-]+)(?::\d+)?\//i

/**
 * @returns a quick check whether the address of a request may have another domain name than the
 * service's; IP addresses and names without a dot are none
 */
export function createNameCheck(config: Pick<Config, 'baseUrl'>): (url: string) => boolean {
  const own = `http://${serviceAddress(config).host}/`
  return (url) => !url.startsWith(own) && !noDomain.test(url)
}

/** How long a browser may cache a preflight answer; browsers cap it at a day or less. */
const preflightSeconds = 86_400

/**
 * Opens a surface to pages of every origin, without cookies (Fetch standard, CORS protocol).
 * `hono/cors` answers preflights; without allowHeaders it grants the headers that a preflight
 * requests. It is not used for other answers: it would create a Response of its own, into which
 * Hono merges the real one as a stream, which costs more than storing the answer. Headers set
 * before a Response exists cost nothing.
 */
export function anyOrigin(options: {
  readonly allowMethods?: string[]
  readonly exposeHeaders: string[]
}): MiddlewareHandler<HttpEnvironment> {
  const preflight = cors({ origin: '*', maxAge: preflightSeconds, ...options })
  const exposed = options.exposeHeaders.join(',')
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return await preflight(c, next)
    c.header('Access-Control-Allow-Origin', '*')
    c.header('Access-Control-Expose-Headers', exposed)
    return await next()
  }
}

/** Printable ASCII, which can be repeated unchanged in headers and log lines. */
const printable = /^[\x21-\x7e]{1,200}$/

/** Gives each request an id, if possible the caller's, and returns it in these headers. */
export function nameRequests<E extends HttpEnvironment>({
  from,
  to,
}: {
  readonly from: string
  readonly to: readonly string[]
}): MiddlewareHandler<E> {
  return async (c, next) => {
    const id = requestIdOf(c.req.header(from))
    c.set('requestId', id)
    for (const header of to) c.header(header, id)
    await next()
  }
}

/** The caller's id of its request, if it can be repeated, or a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && printable.test(given) ? given : newId()
}

/**
 * The token of an `Authorization: Bearer` header, or null if there is none. The scheme's name is
 * case-insensitive (RFC 9110 §11.1).
 */
export function bearerToken(authorization: string | undefined): string | null {
  const match = /^bearer +([^\s]+) *$/i.exec(authorization ?? '')
  return match?.[1] ?? null
}

/**
 * Reads a JSON body of at most `maxBytes`. It may contain a value or key for every 20 of these bytes.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json, json_refused
 */
export async function readJson(request: HonoRequest, maxBytes: number): Promise<unknown> {
  if (!isJson(request.header('content-type'))) throw new Fault(requestFaults.wrong_content_type)
  return await parseBody(await readText(request, maxBytes), maxBytes)
}

const bytesPerValue = 20

/** @throws Fault malformed_json, json_refused */
export async function parseBody(text: string, maxBytes: number): Promise<unknown> {
  const mostValues = Math.ceil(maxBytes / bytesPerValue)
  try {
    return await parseJsonInSlices(text, mostValues)
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new Fault(requestFaults.malformed_json, {}, { cause })
    if (!(cause instanceof JsonProblem)) throw cause
    const problem =
      cause.reason === 'too_deep'
        ? `is nested deeper than ${maxJsonLevels} levels`
        : `contains more than ${mostValues} values and keys`
    throw new Fault(requestFaults.json_refused, { problem }, { cause })
  }
}

/** `application/json` or any `+json` type, with or without parameters (RFC 6838 §4.2.8). */
export function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')
}

/** The whole body as text. @throws Fault body_too_large */
export async function readText(request: HonoRequest, maxBytes: number): Promise<string> {
  const declared = Number(request.header('content-length') ?? Number.POSITIVE_INFINITY)
  // The HTTP parser enforces the declared length.
  if (declared <= Math.min(longBytes, maxBytes)) return await request.text()
  if (Number.isFinite(declared) && declared > maxBytes) throw tooLarge(maxBytes)
  return await readInPieces(request, maxBytes)
}

/** To decode a body of this length at once takes less than a millisecond. */
const longBytes = 512 * 1024

/** Decodes each piece as it arrives. The length of a chunked body is only known at its end. */
async function readInPieces(request: HonoRequest, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder() // Like Request.text(), it leaves out a byte order mark.
  let text = ''
  let length = 0
  for await (const chunk of request.raw.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function tooLarge(maxBytes: number): Fault {
  return new Fault(requestFaults.body_too_large, { maxBytes })
}
