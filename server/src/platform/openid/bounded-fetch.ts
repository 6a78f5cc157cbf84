import { JsonBounds } from '#kernel/json-bounds.ts'

/** Metadata, keys, tokens and profiles of a provider are a few kilobytes long. */
const maxBytes = 512 * 1024
const mostValues = 10_000

/** A `fetch` for libraries that read an answer of the OpenID provider as JSON, whatever its size. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  const bounds = new JsonBounds({ mostValues, maxEventBytes: null })
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early closes the connection.
  for await (const chunk of response.body) {
    length += chunk.length
    if (length > maxBytes) throw new Error(`The answer is longer than ${maxBytes} bytes.`)
    bounds.read(chunk)
    chunks.push(chunk)
  }
  const { status, statusText, headers } = response
  return new Response(Buffer.concat(chunks), { status, statusText, headers })
}
