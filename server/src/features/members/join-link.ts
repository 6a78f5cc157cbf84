import {
  findEmailLink,
  insertEmailLink,
  postLetter,
  requireEmail,
  requireLetterAllowed,
  requirePasswords,
} from '#features/identity/index.ts'
import { findOpenInvitation, type InvitationRow } from '#features/invitations/index.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { linkOf, oneLine } from './invitation-mail.ts'
import { memberFaults } from './member-faults.ts'

const joinLinkLifetimeMs = 24 * 60 * 60 * 1000

/**
 * The address whose mailbox the holder of an invitation's link reads: the invited one if the link was
 * only ever mailed, or the one that a link of `mailJoinLink` was mailed to.
 */
export async function provenAddress(
  reader: Reader,
  invitation: InvitationRow,
  proof: string | undefined,
  now: number,
): Promise<string | null> {
  // A link that is not mailed was shown to the person who invites.
  if (invitation.email !== null && invitation.mail_status !== 'none') return invitation.email
  if (proof === undefined) return null
  const link = await findEmailLink(reader, 'join', hashToken(proof), now)
  return link?.invitation_id === invitation.id ? link.email : null
}

/**
 * Mails a newcomer a link that proves their address, because the invitation's own link does not. The
 * answer does not depend on whether there is an account.
 *
 * @param address of the client
 * @throws Fault passwords_off, invitation_invalid, email_invalid, mail_not_configured, letters_limited
 */
export async function mailJoinLink(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'mail' | 'jobs' | 'vault'>,
  token: string,
  given: { readonly email: string; readonly address: string },
): Promise<{ readonly email: string }> {
  requirePasswords(ctx.config)
  const hash = hashToken(token)
  const seen = await findOpenInvitation(ctx.db.read, hash, ctx.clock.now())
  if (seen === undefined) throw new Fault(memberFaults.invitation_invalid)
  const email = seen.email ?? requireEmail(given.email)
  await requireLetterAllowed(ctx, { to: email, from: given.address })
  const minted = mintToken('')
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const invitation = await findOpenInvitation(tx, hash, now)
    if (invitation === undefined) throw new Fault(memberFaults.invitation_invalid)
    await insertEmailLink(tx, {
      hash: minted.hash,
      purpose: 'join',
      email,
      user_id: null,
      invitation_id: invitation.id,
      created_at: now,
      expires_at: Math.min(invitation.expires_at, now + joinLinkLifetimeMs),
    })
    const workspace = oneLine(invitation.workspace_name)
    await postLetter(tx, ctx, {
      to: email,
      subject: `Join ${workspace}`,
      paragraphs: [
        `Join the workspace "${workspace}" on Parley with this address, within a day:`,
        `${linkOf(ctx.config, token)}?proof=${minted.token}`,
        'If you did not request this, you need not do anything.',
      ],
    })
  })
  return { email }
}
