/**
 * The token of an `Authorization: Bearer` header, or null when there is none. The scheme's name is
 * case-insensitive (RFC 9110 §11.1).
 */
export function bearerToken(authorization: string | undefined): string | null {
  const match = /^bearer +([^\s]+) *$/i.exec(authorization ?? '')
  return match?.[1] ?? null
}
