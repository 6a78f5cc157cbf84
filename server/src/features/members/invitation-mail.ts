import { z } from 'zod'
import type { Config } from '#config'
import {
  findInvitationToMail,
  noteMailed,
  type InvitationRow,
} from '#features/invitations/index.ts'
import { defineJob, type JobResult } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'

/** The page where an invitation is accepted. */
export function linkOf({ baseUrl }: Pick<Config, 'baseUrl'>, token: string): string {
  return `${baseUrl}/invitations/${token}`
}

const sealedForm = z.object({ to: z.string(), subject: z.string(), text: z.string() })

/** The sealed message: the link is not stored in clear text. */
export function sealedMail(
  { vault }: Pick<Context, 'vault'>,
  row: InvitationRow,
  link: string,
): string {
  const [inviter, workspace] = [oneLine(row.inviter_name), oneLine(row.workspace_name)]
  // A mail does not know its reader's time zone, so it names its own.
  const [day, time] = new Date(row.expires_at).toISOString().split('T')
  const mail: z.infer<typeof sealedForm> = {
    to: row.email ?? '',
    subject: `${inviter} invites you to ${workspace}`,
    text: [
      `${inviter} invites you to the workspace "${workspace}" on Parley, as ${row.role}.`,
      `Accept here, until ${day} ${time?.slice(0, 5)} UTC:`,
      link,
      'The link works once. If you did not expect this, you need not do anything.',
    ].join('\n\n'),
  }
  return vault.seal(JSON.stringify(mail))
}

/** Names are free text: in a mail they get a single, short line. */
export function oneLine(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, ' ').slice(0, 100)
}

/**
 * Mails an invitation. If the process dies after sending and before storing that, the mail is sent
 * again with the same Message-ID and link.
 */
export const mailInvitation = defineJob({
  kind: 'members.mail_invitation',
  input: z.object({ id: z.string(), round: z.int() }),
  async run(ctx: Context, { id, round }, { isLast }): Promise<JobResult> {
    const row = await findInvitationToMail(ctx.db.read, id)
    if (row === undefined || row.round !== round || row.mail_sealed === null) return undefined
    if (row.mail_status !== 'pending' || row.revoked_at !== null) return undefined
    const mail = sealedForm.parse(JSON.parse(ctx.vault.open(row.mail_sealed)))
    const sent = await send(ctx, { ...mail, id: `${id}.${round}` })
    if (sent === 'not now' && !isLast) throw new Error('the mail server did not accept the message')
    const outcome =
      sent === 'sent'
        ? { mail_status: 'sent' as const, mail_error: null }
        : { mail_status: 'failed' as const, mail_error: sent }
    await ctx.db.write((tx) => noteMailed(tx, { id, round }, outcome))
    return undefined
  },
})

async function send(
  { mail }: Pick<Context, 'mail'>,
  message: z.infer<typeof sealedForm> & { readonly id: string },
): Promise<string> {
  if (mail === null) return 'no mail server is configured any more'
  const outcome = await mail.send(message)
  if (outcome.status === 'refused') return `the mail server refused it: ${outcome.reason}`
  return outcome.status === 'sent' ? 'sent' : 'not now'
}
