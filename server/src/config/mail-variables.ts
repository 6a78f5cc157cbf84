import { z } from 'zod'
import { integer, variable } from './variable.ts'

const smtpUrl = z
  .string()
  .refine((word) => /^smtps?:\/\/[^\s/]/.test(word) && URL.canParse(word), 'must be an smtp(s) URL')

const sender = z
  .string()
  .regex(/^(?:[^<>\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, 'must be an e-mail address')

/** Mail, and how long deleted records are kept. */
export const mailVariables = {
  SMTP_URL: variable(
    smtpUrl.optional(),
    'Mail server that sends invitations and links that prove an e-mail address: `smtp://user:password@mail.example.com:587`, or `smtps://` for TLS from the start. If unset, invitations are links that you pass on yourself, and a new person needs a set-up link from an operator.',
    { secret: true },
  ),
  MAIL_FROM: variable(
    sender.optional(),
    'Sender of mail: `Parley <parley@example.com>`. Required with `SMTP_URL`.',
  ),
  MAIL_LINKS_LIMIT: variable(
    integer(1, 1_000_000),
    'Mailed links that prove an e-mail address, per hour: for one recipient, and for one account or client address that requests them.',
    { fallback: '10' },
  ),
  INVITATION_MAILS_LIMIT: variable(
    integer(1, 1_000_000),
    'Invitations that one address can receive by mail in a day, from all workspaces together. Further ones are refused, or can be shown as links.',
    { fallback: '10' },
  ),
  INVITATION_MAILS_WORKSPACE_LIMIT: variable(
    integer(1, 1_000_000),
    'Invitations that one workspace can send to one address by mail in a day, sending again included.',
    { fallback: '3' },
  ),
  WORKSPACE_RETENTION_DAYS: variable(
    integer(0, 3650),
    'How long deleted workspaces can be restored and deleted agents are kept. After that, all their data is deleted permanently.',
    { fallback: '30' },
  ),
} as const

export function mailProblems(values: Readonly<Record<string, unknown>>): readonly string[] {
  const isHalf = values.smtpUrl !== undefined && values.mailFrom === undefined
  return isHalf ? ['MAIL_FROM is required with SMTP_URL'] : []
}
