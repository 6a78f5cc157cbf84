import type { KeyToRotate } from '#features/api-keys/index.ts'
import { Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { normalizeEmail } from './email.ts'
import { endAllCredentials } from './end-all-credentials.ts'
import { identityFaults } from './identity-faults.ts'
import { hashNewPassword } from './password.ts'
import { recordPersonal } from './record-personal.ts'
import { addSetupLink, type SetupLink } from './setup-link.ts'
import { findUserRow, updateUser } from './store.ts'
import { userFromRow, type User } from './user.ts'

export interface Recovered {
  readonly user: User
  /** The one-time link for choosing a password; null if the operator chose it. */
  readonly setup: SetupLink | null
  readonly keysToRotate: readonly KeyToRotate[]
}

/**
 * Sets a new password without asking for the old one, or creates a set-up link for choosing one, for
 * the operator, who can read the database. The account may have a new owner, so all of its
 * credentials end. The operator vouches for the address of the account from now on.
 *
 * @throws Fault password_length, password_guessable, user_not_found
 */
export async function resetPassword(
  ctx: Pick<Context, 'db' | 'clock' | 'workers'>,
  input: { readonly email: string; readonly password?: string | undefined },
): Promise<Recovered> {
  const email = normalizeEmail(input.email)
  // Before the unit: a unit touches nothing but the database and may run twice.
  const { password } = input
  const password_hash =
    password === undefined ? null : await hashNewPassword(ctx, password, { email })
  const link = mintToken('')
  return await ctx.db.write(async (tx) => {
    const found = await findUserRow(tx, email)
    if (found === undefined) throw new Fault(identityFaults.user_not_found, { email })
    const now = ctx.clock.now()
    const vouched =
      found.email_proven === 1 ? {} : { email_proven: 1, email_proof: 'operator' as const }
    const changes = { ...vouched, password_hash, updated_at: now }
    await updateUser(tx, found.id, changes)
    const keysToRotate = await endAllCredentials(tx, now, found, { reason: 'password_reset' })
    await recordPersonal(tx, now, found.id, 'reset_password', 'cli')
    const user = userFromRow({ ...found, ...changes })
    const setup = password_hash === null ? await addSetupLink(tx, now, user, link) : null
    return { user, setup, keysToRotate }
  })
}
