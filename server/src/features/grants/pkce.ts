import { createHash } from 'node:crypto'

/** SHA-256 in base64url is always 43 characters (RFC 7636 §4.2). */
const challengeForm = /^[A-Za-z0-9_-]{43}$/
/** RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/

export function isChallenge(text: string): boolean {
  return challengeForm.test(text)
}

/** RFC 7636 §4.6, for S256, the only method there is. */
export function verifierMatches(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
