import { Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { addAccount } from './create-user.ts'
import { requireEmail } from './email.ts'
import { identityFaults } from './identity-faults.ts'
import { addSetupLink, type SetupLink } from './setup-link.ts'
import { endSetupLinks, findUserRow, hasAnyIdentity } from './store.ts'
import { userFromRow, type User } from './user.ts'

/** An account for which an operator vouches, and the link that only the operator sees. */
export interface VouchedAccount {
  readonly user: User
  readonly setup: SetupLink
}

/**
 * Creates an account with a workspace of its own, and the one-time link with which its person chooses a
 * password: how new people come in without a mail server. For a person who has not used their link, it
 * creates a new one, and the old one ends.
 *
 * @throws Fault email_invalid, email_taken
 */
export async function createSetupLink(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  given: { readonly email: string; readonly name?: string | undefined },
): Promise<VouchedAccount> {
  const email = requireEmail(given.email)
  const link = mintToken('')
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const user =
      (await findWaiting(tx, email)) ??
      (await addAccount(tx, ctx, { ...given, email, passwordHash: null, proof: 'operator' })).user
    await endSetupLinks(tx, user.id, now)
    return { user, setup: await addSetupLink(tx, now, user, link) }
  })
}

/** A person who has an account and no way to sign in yet. @throws Fault email_taken for any other */
async function findWaiting(tx: Tx, email: string): Promise<User | null> {
  const row = await findUserRow(tx, email)
  if (row === undefined) return null
  const isWaiting =
    row.password_hash === null && row.disabled_at === null && !(await hasAnyIdentity(tx, row.id))
  if (!isWaiting) throw new Fault(identityFaults.email_taken)
  return userFromRow(row)
}
