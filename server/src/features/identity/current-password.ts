import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { countingGuess, passwordChangeCounts } from './guess-limits.ts'
import { identityFaults } from './identity-faults.ts'
import { verifyPassword } from './password.ts'
import { recordWrongPassword } from './record-personal.ts'
import type { Session } from './sessions.ts'
import { findUserRowById } from './store.ts'

/**
 * Checks the password of a signed-in person before a change of their account: a visitor may have found
 * an open session. Wrong passwords are counted and recorded.
 *
 * @returns the hash of the password
 * @throws Fault credentials_wrong, guesses_limited
 */
export async function requireCurrentPassword(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'limits'>,
  session: Pick<Session, 'user' | 'address'>,
  current: string,
  action: 'change_password' | 'change_email',
): Promise<string> {
  const userId = session.user.id
  return await countingGuess(ctx, passwordChangeCounts(ctx.config, userId), async () => {
    const hash = (await findUserRowById(ctx.db.read, userId))?.password_hash ?? null
    if (hash !== null && (await verifyPassword(current, hash))) return hash
    await ctx.db.write((tx) =>
      recordWrongPassword(tx, ctx.clock.now(), { userId, action }, session),
    )
    throw new Fault(identityFaults.credentials_wrong)
  })
}
