/** Events are small; the providers' own limit is far below this. */
export const maxBytes = 1024 * 1024

/** The body as it was signed; null when it is too large. */
export async function readAtMost(request: Request, most: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
