import { Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { requirePasswords } from './accepted-methods.ts'
import { normalizeEmail } from './email.ts'
import { countingGuess, signInCounts } from './guess-limits.ts'
import { identityFaults } from './identity-faults.ts'
import { verifyPassword } from './password.ts'
import { knownBrowserId } from './known-browser.ts'
import { recordPersonal, recordWrongPassword } from './record-personal.ts'
import { isWhole, openSession, type SignInResult, type Visitor } from './sessions.ts'
import { userOfEmail, type UserRow } from './store.ts'

/**
 * Signs a person in by e-mail and password; a person with a second factor then has a second step. An unknown e-mail, an account without a password and a
 * wrong password get the same answer after the same time, which does not reveal who has an account.
 *
 * @throws Fault passwords_off, credentials_wrong, guesses_limited
 */
export async function signIn(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'vault'>,
  given: { readonly email: string; readonly password: string },
  visitor: Visitor,
): Promise<SignInResult> {
  requirePasswords(ctx.config)
  const email = normalizeEmail(given.email)
  const browserId = knownBrowserId(ctx, visitor.deviceCookie ?? null, email)
  const counts = signInCounts(ctx.config, email, { address: visitor.address, browserId })
  const user = await countingGuess(ctx, counts, () =>
    requirePerson(ctx, email, given.password, visitor),
  )
  const minted = mintToken('')
  return await ctx.db.write(async (tx) => {
    const { password_hash: passwordHash } = user
    const opening = { user, passwordHash, method: 'password', minted, visitor } as const
    const opened = await openSession(tx, ctx, opening)
    if (isWhole(opened)) await recordPersonal(tx, ctx.clock.now(), user.id, 'sign_in', visitor)
    return opened
  })
}

async function requirePerson(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  email: string,
  password: string,
  visitor: Visitor,
): Promise<UserRow> {
  const [user] = await db.prepared(userOfEmail).read({ email })
  const isRight = await verifyPassword(password, user?.password_hash ?? null)
  if (user !== undefined && isRight) return user
  const userId = user?.id ?? null
  // Also without an account: it takes as long, and the limits bound the number of attempts.
  await db.write((tx) =>
    recordWrongPassword(tx, clock.now(), { userId, action: 'sign_in' }, visitor),
  )
  throw new Fault(identityFaults.credentials_wrong)
}
