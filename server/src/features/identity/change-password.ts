import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { requirePasswords } from './accepted-methods.ts'
import { requireCurrentPassword } from './current-password.ts'
import { identityFaults } from './identity-faults.ts'
import { hashNewPassword, requirePasswordLength } from './password.ts'
import { recordPersonal } from './record-personal.ts'
import type { Session } from './sessions.ts'
import { deleteSessions } from './session-store.ts'
import { replacePassword } from './store.ts'

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
  const known = await requireCurrentPassword(ctx, session, current, 'change_password')
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
