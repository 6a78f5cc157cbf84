import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { normalizeEmail } from './email.ts'
import { identityFaults } from './identity-faults.ts'
import { hashPassword, requirePassword } from './password.ts'
import { recordPersonal } from './record-personal.ts'
import { deleteSessions } from './session-store.ts'
import { deleteIdentities, endSetupLinks, findUserRow, setPassword } from './store.ts'
import { userFromRow, type User } from './user.ts'

/**
 * Sets a new password without asking for the old one, for the operator, who can read the database. The
 * account may have a new owner, so its sessions, unused set-up links and OpenID identities end.
 *
 * @throws Fault password_length, user_not_found
 */
export async function resetPassword(
  ctx: Pick<Context, 'db' | 'clock'>,
  input: { readonly email: string; readonly password: string },
): Promise<User> {
  requirePassword(input.password)
  const email = normalizeEmail(input.email)
  // Before the unit: a unit touches nothing but the database and may run twice.
  const password_hash = await hashPassword(input.password)
  return await ctx.db.write(async (tx) => {
    const found = await findUserRow(tx, email)
    if (found === undefined) throw new Fault(identityFaults.user_not_found, { email })
    const now = ctx.clock.now()
    const changes = { password_hash, updated_at: now }
    await setPassword(tx, found.id, changes)
    await endSetupLinks(tx, found.id, now)
    await deleteIdentities(tx, found.id)
    await deleteSessions(tx, found.id, null)
    await recordPersonal(tx, now, found.id, 'reset_password', 'cli')
    return userFromRow({ ...found, ...changes })
  })
}
