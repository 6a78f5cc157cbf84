import { Fault } from '#kernel/fault.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { requirePasswords } from './accepted-methods.ts'
import { requireEmail } from './email.ts'
import { unnamedOwner } from './ensure-owner.ts'
import { identityFaults } from './identity-faults.ts'
import { hashNewPassword, requirePasswordLength } from './password.ts'
import { recordPersonal } from './record-personal.ts'
import { deleteSessions } from './session-store.ts'
import { openSession, type NewSession, type Visitor } from './sessions.ts'
import { findSetupLink, findUserRow, spendSetupLink, updateUser } from './store.ts'

/**
 * The e-mail of a one-time link's account; empty if none was configured.
 *
 * @throws Fault setup_link_invalid
 */
export async function readSetupLink(
  ctx: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<{ readonly email: string }> {
  const link = await findSetupLink(ctx.db.read, hashToken(token), ctx.clock.now())
  if (link === undefined) throw new Fault(identityFaults.setup_link_invalid)
  return { email: link.email === unnamedOwner ? '' : link.email }
}

/**
 * The owner enters their name and e-mail and chooses a password. The link works once, even if two
 * requests use it at the same time. Input that is refused leaves the link usable.
 *
 * @throws Fault passwords_off, setup_link_invalid, email_invalid, email_taken, password_length,
 *   password_guessable
 */
export async function completeSetup(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'workers'>,
  token: string,
  given: { readonly email: string; readonly name: string; readonly password: string },
  visitor: Visitor,
): Promise<NewSession> {
  requirePasswords(ctx.config)
  const email = requireEmail(given.email)
  requirePasswordLength(given.password)
  // Before the costly check and hash, so that a spent link cannot be used to overload the server.
  await readSetupLink(ctx, token)
  const password_hash = await hashNewPassword(ctx, given.password, given)
  const minted = mintToken('')
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const userId = await spendSetupLink(tx, hashToken(token), now)
    if (userId === null) throw new Fault(identityFaults.setup_link_invalid)
    const name = given.name.trim() || email.replace(/@.*$/, '')
    const holder = await findUserRow(tx, email)
    if (holder !== undefined && holder.id !== userId) throw new Fault(identityFaults.email_taken)
    await updateUser(tx, userId, { email, name, password_hash, updated_at: now })
    await deleteSessions(tx, userId, null)
    await recordPersonal(tx, now, userId, 'set_up', visitor)
    const user = { id: userId, email, name }
    return await openSession(tx, ctx, { user, method: 'setup', minted, visitor })
  })
}
