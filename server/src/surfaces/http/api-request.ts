import type { HonoRequest } from 'hono'
import { Fault } from '#kernel/fault.ts'
import { requestFaults } from './request-faults.ts'

/**
 * Reads a JSON body of at most `maxBytes`.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json
 */
export async function readJson(request: HonoRequest, maxBytes: number): Promise<unknown> {
  if (!isJson(request.header('content-type'))) throw new Fault(requestFaults.wrong_content_type)
  const text = await readText(request, maxBytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Fault(requestFaults.malformed_json, {}, { cause })
  }
}

/** `application/json` or any `+json` type, with or without parameters (RFC 6838 §4.2.8). */
export function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')
}

/** The whole body as text. @throws Fault body_too_large */
export async function readText(request: HonoRequest, maxBytes: number): Promise<string> {
  const declared = request.header('content-length')
  if (declared === undefined) return await readUndeclared(request, maxBytes)
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
  // The HTTP parser enforces the declared length.
  return await request.text()
}

/** The length of a chunked body is known only while it is read. */
async function readUndeclared(request: HonoRequest, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.raw.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  // As Request.text() does, this leaves out a byte order mark.
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function tooLarge(maxBytes: number): Fault {
  return new Fault(requestFaults.body_too_large, { maxBytes })
}
