/** The formats that models read, by their first bytes in hexadecimal: a name or a sent type proves nothing. */
const signatures: readonly (readonly [mediaType: string, start: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]

/** The media type of an image, or null for bytes that are none. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex')
  return signatures.find(([, pattern]) => pattern.test(start))?.[0] ?? null
}
