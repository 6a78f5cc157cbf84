import type { KeyToRotate } from '#features/api-keys/index.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { acceptsPasswords } from './accepted-methods.ts'
import { requireCurrentPassword } from './current-password.ts'
import { normalizeEmail, requireEmail } from './email.ts'
import {
  endEmailLinks,
  findEmailLink,
  insertEmailLink,
  spendEmailLink,
} from './email-link-store.ts'
import { endAllCredentials } from './end-all-credentials.ts'
import { identityFaults } from './identity-faults.ts'
import { postLetter, requireLetterAllowed } from './mail-letter.ts'
import { recordPersonal } from './record-personal.ts'
import type { Session } from './sessions.ts'
import { findUserRow, findUserRowById, updateUser, type UserRow } from './store.ts'
import { mailUndoLink } from './undo-email-change.ts'
import { userFromRow, type User } from './user.ts'

type MailContext = Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'mail' | 'jobs' | 'vault'>
type Person = Pick<Session, 'user' | 'address'>

const changeLinkLifetimeMs = 24 * 60 * 60 * 1000

/**
 * Mails a link to a person's new address, or to an address that nothing has proved yet. Nothing changes
 * until the person opens it while signed in. An address of another account gets no letter, and the
 * caller does not learn that.
 *
 * @param given.password needed if the person has one
 * @throws Fault email_invalid, email_unchanged, credentials_wrong, guesses_limited,
 *   mail_not_configured, letters_limited
 */
export async function requestEmailChange(
  ctx: MailContext,
  session: Person,
  given: { readonly email: string; readonly password: string },
): Promise<{ readonly email: string }> {
  const email = requireEmail(given.email)
  const person = await requireUser(ctx.db.read, session.user.id)
  if (person.email === email && person.email_proven === 1)
    throw new Fault(identityFaults.email_unchanged)
  if (person.password_hash !== null && acceptsPasswords(ctx.config))
    await requireCurrentPassword(ctx, session, given.password, 'change_email')
  await requireLetterAllowed(ctx, { to: email, from: person.id })
  const minted = mintToken('')
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    await endEmailLinks(tx, person.id, now, 'change')
    if (await isTaken(tx, email, person.id)) return
    await insertEmailLink(tx, {
      hash: minted.hash,
      purpose: 'change',
      email,
      user_id: person.id,
      invitation_id: null,
      created_at: now,
      expires_at: now + changeLinkLifetimeMs,
    })
    await postLetter(tx, ctx, {
      to: email,
      subject: 'Confirm your email address',
      paragraphs: [
        'Confirm this address for your Parley account within a day, in the browser where you are signed in:',
        `${ctx.config.baseUrl}/account/email/confirm?token=${minted.token}`,
        'If you did not request this, you need not do anything: nothing changes.',
      ],
    })
  })
  return { email }
}

/**
 * The address that a link proves for a signed-in person. The link does nothing for another person: the
 * owner of a mailbox cannot confirm a stranger's account.
 *
 * @throws Fault email_link_invalid
 */
export async function readEmailLink(
  ctx: Pick<Context, 'db' | 'clock'>,
  session: Pick<Session, 'user'>,
  token: string,
): Promise<{ readonly email: string }> {
  return await requireLink(ctx.db.read, session, token, ctx.clock.now())
}

/**
 * Gives the person the proven address. A former address that was known to be theirs receives a notice
 * with a link to undo the change.
 *
 * @throws Fault email_link_invalid, email_taken
 */
export function confirmEmailChange(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'mail' | 'jobs' | 'vault'>,
  session: Person,
  token: string,
): Promise<{ readonly email: string }> {
  const undo = mintToken('')
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const { email, hash } = await requireLink(tx, session, token, now)
    if (!(await spendEmailLink(tx, hash, now))) throw new Fault(identityFaults.email_link_invalid)
    const person = await requireUser(tx, session.user.id)
    if (await isTaken(tx, email, person.id)) throw new Fault(identityFaults.email_taken)
    const proven = { email_proven: 1, email_proof: 'mailbox', updated_at: now } as const
    await updateUser(tx, person.id, { email, ...proven })
    if (email === person.email) {
      await recordPersonal(tx, now, person.id, 'prove_email', session)
      return { email }
    }
    if (person.email_proven === 1) await mailUndoLink(tx, ctx, person, { to: email, minted: undo })
    const detail = { from: person.email, to: email }
    await recordPersonal(tx, now, person.id, 'change_email', session, detail)
    return { email }
  })
}

/**
 * Gives a person another address for which the operator vouches. Links that were mailed for the account
 * end, because its former mailbox may be in other hands. If nothing proved the former address, another
 * person may have created the account, so all credentials and the password end.
 *
 * @throws Fault email_invalid, user_not_found, email_taken
 */
export function changeEmailOf(
  ctx: Pick<Context, 'db' | 'clock'>,
  given: { readonly email: string; readonly to: string },
): Promise<{ readonly user: User; readonly keysToRotate: readonly KeyToRotate[] }> {
  const to = requireEmail(given.to)
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const person = await findUserRow(tx, normalizeEmail(given.email))
    if (person === undefined) throw new Fault(identityFaults.user_not_found, { email: given.email })
    if (await isTaken(tx, to, person.id)) throw new Fault(identityFaults.email_taken)
    const isProven = person.email_proven === 1
    const changes = {
      email: to,
      email_proven: 1,
      email_proof: 'operator',
      password_hash: isProven ? person.password_hash : null,
      updated_at: now,
    } as const
    await updateUser(tx, person.id, changes)
    await endEmailLinks(tx, person.id, now)
    const keysToRotate = isProven
      ? []
      : await endAllCredentials(tx, now, person, { reason: 'account_claimed' })
    const detail = { from: person.email, to }
    await recordPersonal(tx, now, person.id, 'change_email', 'cli', detail)
    return { user: userFromRow({ ...person, ...changes }), keysToRotate }
  })
}

async function isTaken(reader: Reader, email: string, userId: string): Promise<boolean> {
  const holder = await findUserRow(reader, email)
  return holder !== undefined && holder.id !== userId
}

async function requireUser(reader: Reader, id: string): Promise<UserRow> {
  const row = await findUserRowById(reader, id)
  if (row === undefined) throw new Fault(identityFaults.not_signed_in)
  return row
}

async function requireLink(
  reader: Reader,
  { user }: Pick<Session, 'user'>,
  token: string,
  now: number,
) {
  const link = await findEmailLink(reader, 'change', hashToken(token), now)
  if (link?.user_id !== user.id) throw new Fault(identityFaults.email_link_invalid)
  return link
}
