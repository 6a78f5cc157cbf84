import type { CallOutcome } from '#features/tool-calls/index.ts'
import { JsonProblem } from '#kernel/json.ts'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import type { Mask } from '#kernel/mask.ts'
import type { OutboundResponse } from '#platform/outbound-http/outbound.ts'
import type { ActionDefinition } from './action-definition.ts'
import { followPath, parseResponsePath } from './response-path.ts'

/** The part of a response that the definition selects, with secrets masked. */
export async function readResponse(
  { response_path }: ActionDefinition,
  { status, headers, body }: OutboundResponse,
  mask: Mask,
): Promise<CallOutcome> {
  const read = await readBody(body, String(headers['content-type'] ?? ''))
  const content = await mask.valueInSlices(read)
  if (status >= 300)
    return {
      ok: false,
      httpStatus: status,
      errorCode: status < 400 ? 'redirected' : 'http_error',
      error:
        status < 400
          ? `The server answered ${status}: it redirects to another address.`
          : `The server answered ${status}.`,
      data: content,
    }
  const data = await part(content, response_path)
  return { ok: true, httpStatus: status, errorCode: null, error: null, data }
}

async function part(content: unknown, responsePath: string | null): Promise<unknown> {
  const path = responsePath === null ? null : parseResponsePath(responsePath)
  if (path === null) return content
  const found = await followPath(content, path)
  return found === undefined ? `(The answer has nothing at ${responsePath}.)` : found
}

/** More than a model can use. A longer list is shown to it as text, which is cut. */
const maxValues = 100_000

async function readBody(body: Buffer, contentType: string): Promise<unknown> {
  if (body.length === 0) return null
  const { type, charset } = parseType(contentType)
  if (isBinary(type)) return `(${body.length} bytes of ${type})`
  const text = decode(body, charset)
  if (text === null) return `(${body.length} bytes that are not text)`
  // Many servers send JSON as text.
  return /json/.test(type) || /^\s*[[{]/.test(text) ? await jsonOrText(text) : text
}

async function jsonOrText(text: string): Promise<unknown> {
  try {
    return await parseJsonInSlices(text, maxValues)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonProblem) return text
    throw error
  }
}

function parseType(contentType: string): { type: string; charset: string } {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters
    .map((one) => /^\s*charset\s*=\s*"?([\w-]+)/.exec(one)?.[1])
    .find((one) => one !== undefined)
  return { type: type.trim(), charset: charset ?? 'utf-8' }
}

function isBinary(type: string): boolean {
  return /^(image|audio|video|font)\/|octet-stream|\/(pdf|zip|gzip)$/.test(type)
}

/** Null for bytes that are not text. U+0000 cannot be stored. */
function decode(body: Buffer, charset: string): string | null {
  try {
    const text = new TextDecoder(charset).decode(body)
    return text.includes('\0') ? null : text
  } catch (error) {
    // RangeError: an unknown encoding.
    if (error instanceof RangeError) return new TextDecoder().decode(body).replaceAll('\0', '')
    throw error
  }
}
