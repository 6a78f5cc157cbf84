import { isWhole, type NewSession, type SignInResult } from '#features/identity/index.ts'

/** The session of a sign-in that needs no second factor. */
export function whole(result: SignInResult): NewSession {
  if (!isWhole(result)) throw new Error('the second factor is missing')
  return result
}
