import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { addPerson } from './create-user.ts'
import { endAllCredentials } from './end-all-credentials.ts'
import { identityFaults } from './identity-faults.ts'
import { hashNewPassword, verifyPassword } from './password.ts'
import { recordPersonal } from './record-personal.ts'
import { findUserRow, updateUser, type UserRow } from './store.ts'

/**
 * A step: the owner of a mailbox takes over the account with its address, if nothing proved the
 * address until now. Another person may have created the account and waited (account pre-hijacking),
 * so all credentials end, and the password is replaced. An account whose address is proven stays.
 *
 * @returns whether the account was claimed
 */
export async function claimAccount(
  tx: Tx,
  now: number,
  user: Pick<UserRow, 'id' | 'email' | 'email_proven'>,
  by: { readonly proof: 'mailbox' | 'provider'; readonly passwordHash: string | null },
): Promise<boolean> {
  if (user.email_proven === 1) return false
  await updateUser(tx, user.id, {
    email_proven: 1,
    email_proof: by.proof,
    password_hash: by.passwordHash,
    updated_at: now,
  })
  await endAllCredentials(tx, now, user, { reason: 'account_claimed', mailboxIsTheirs: true })
  await recordPersonal(tx, now, user.id, 'secure_account')
  return true
}

interface MailboxHolder {
  /** The address that a mailed link has just proved. */
  readonly email: string
  readonly name: string
  readonly password: string
}

type Holder = Pick<UserRow, 'id' | 'email' | 'name'>

/**
 * Prepares a step that returns the account of a person who has just proved that they read a mailbox: a
 * new one, or the one that nothing had proved until now. That one keeps its credentials only if the
 * person knows its password.
 *
 * @returns null if the account's address is proven: its holder signs in
 * @throws Fault password_length, password_guessable; the step throws email_taken if the account changes meanwhile
 */
export async function prepareAccount(
  ctx: Pick<Context, 'db' | 'clock' | 'workers'>,
  { email, name, password }: MailboxHolder,
): Promise<((tx: Tx) => Promise<Holder>) | null> {
  const known = await findUserRow(ctx.db.read, email)
  if (known?.email_proven === 1) return null
  const isTheirs = known !== undefined && (await verifyPassword(password, known.password_hash))
  const passwordHash = isTheirs
    ? known.password_hash
    : await hashNewPassword(ctx, password, { email, name })
  return async (tx) => {
    const now = ctx.clock.now()
    const found = await findUserRow(tx, email)
    if (found === undefined)
      return await addPerson(tx, now, { email, passwordHash, name, proof: 'mailbox' })
    const isUnchanged = isTheirs && found.password_hash === known.password_hash
    if (isUnchanged && found.email_proven === 0)
      await updateUser(tx, found.id, { email_proven: 1, email_proof: 'mailbox', updated_at: now })
    else if (!(await claimAccount(tx, now, found, { proof: 'mailbox', passwordHash })))
      throw new Fault(identityFaults.email_taken)
    return found
  }
}
