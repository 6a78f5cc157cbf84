import { Fault } from '#kernel/fault.ts'
import { hashToken, type MintedToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { acceptsPasswords } from './accepted-methods.ts'
import { findEmailLink, insertEmailLink, spendEmailLink } from './email-link-store.ts'
import { endAllCredentials } from './end-all-credentials.ts'
import { identityFaults } from './identity-faults.ts'
import { postLetter } from './mail-letter.ts'
import { hashNewPassword } from './password.ts'
import { recordPersonal } from './record-personal.ts'
import { findUserRow, findUserRowById, updateUser, type UserRow } from './store.ts'

/** Long enough for a person who is on holiday to notice; after it, the former mailbox has no power. */
const undoLifetimeMs = 14 * 24 * 60 * 60 * 1000

/** A step: mails a notice of the change to the former address, with a link to undo it. */
export async function mailUndoLink(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config' | 'mail' | 'jobs' | 'vault'>,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { to, minted }: { readonly to: string; readonly minted: MintedToken },
): Promise<void> {
  if (ctx.mail === null) return
  const now = ctx.clock.now()
  await insertEmailLink(tx, {
    hash: minted.hash,
    purpose: 'undo',
    email,
    user_id: id,
    invitation_id: null,
    created_at: now,
    expires_at: now + undoLifetimeMs,
  })
  await postLetter(tx, ctx, {
    to: email,
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your Parley account was changed from ${email} to ${to}.`,
      'If you did this, you need not do anything. If you did not, undo it within 14 days:',
      `${ctx.config.baseUrl}/account/email/undo?token=${minted.token}`,
      'Undoing also signs everyone out of the account and ends its keys and connected apps.',
    ],
  })
}

/**
 * The former address that a link restores, and whether the person chooses a new password.
 *
 * @throws Fault email_link_invalid
 */
export async function readUndoLink(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  token: string,
): Promise<{ readonly email: string; readonly needsPassword: boolean }> {
  const { email } = await requireLink(ctx.db.read, token, ctx.clock.now())
  return { email, needsPassword: acceptsPasswords(ctx.config) }
}

/**
 * Restores an account's former address for the person who reads its mailbox. Another person may have
 * changed it, so all credentials end and the password is replaced.
 *
 * @throws Fault email_link_invalid, email_taken, password_length, password_guessable
 */
export async function undoEmailChange(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'workers'>,
  token: string,
  password: string,
): Promise<{ readonly email: string }> {
  const { email, needsPassword } = await readUndoLink(ctx, token)
  const password_hash = needsPassword ? await hashNewPassword(ctx, password, { email }) : null
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const link = await requireLink(tx, token, now)
    if (!(await spendEmailLink(tx, link.hash, now)) || link.user_id === null)
      throw new Fault(identityFaults.email_link_invalid)
    const holder = await findUserRow(tx, email)
    if (holder !== undefined && holder.id !== link.user_id)
      throw new Fault(identityFaults.email_taken)
    const person = await findUserRowById(tx, link.user_id)
    if (person === undefined) throw new Fault(identityFaults.email_link_invalid)
    await endAllCredentials(tx, now, person, { reason: 'account_claimed', mailboxIsTheirs: true })
    const proven = { email_proven: 1, email_proof: 'mailbox', updated_at: now } as const
    await updateUser(tx, person.id, { email, password_hash, ...proven })
    const detail = { from: person.email, to: email }
    await recordPersonal(tx, now, person.id, 'undo_email_change', null, detail)
    return { email }
  })
}

async function requireLink(reader: Reader, token: string, now: number) {
  const link = await findEmailLink(reader, 'undo', hashToken(token), now)
  if (link === undefined) throw new Fault(identityFaults.email_link_invalid)
  return link
}
