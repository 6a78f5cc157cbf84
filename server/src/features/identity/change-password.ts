import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { requirePasswords } from './accepted-methods.ts'
import { countingGuess, passwordChangeCounts } from './guess-limits.ts'
import { identityFaults } from './identity-faults.ts'
import { hashNewPassword, requirePasswordLength, verifyPassword } from './password.ts'
import { recordPersonal, recordWrongPassword } from './record-personal.ts'
import type { Session } from './sessions.ts'
import { deleteSessions } from './session-store.ts'
import { findUserRowById, replacePassword } from './store.ts'

/**
 * Changes a person's password and ends their other sessions: knowing the old password is useless now.
 *
 * @throws Fault passwords_off, credentials_wrong, password_length, password_guessable, guesses_limited
 */
export async function changePassword(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'workers'>,
  session: Pick<Session, 'id' | 'user' | 'address'>,
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  requirePasswords(ctx.config)
  requirePasswordLength(next)
  const userId = session.user.id
  const known = await countingGuess(ctx, passwordChangeCounts(ctx.config, userId), async () => {
    const hash = (await findUserRowById(ctx.db.read, userId))?.password_hash ?? null
    if (hash !== null && (await verifyPassword(current, hash))) return hash
    const attempt = { userId, action: 'change_password' } as const
    await ctx.db.write((tx) => recordWrongPassword(tx, ctx.clock.now(), attempt, session))
    throw new Fault(identityFaults.credentials_wrong)
  })
  const replacement = await hashNewPassword(ctx, next, session.user)
  const now = ctx.clock.now()
  const changed = await ctx.db.write(async (tx) => {
    if (!(await replacePassword(tx, { userId, known, replacement, now }))) return false
    await deleteSessions(tx, userId, session.id)
    await recordPersonal(tx, now, userId, 'change_password', session)
    return true
  })
  // Another change came first: `current` is no longer the password.
  if (!changed) throw new Fault(identityFaults.credentials_wrong)
}
