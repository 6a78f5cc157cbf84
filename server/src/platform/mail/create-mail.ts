import { createRequire } from 'node:module'
import type * as nodemailer from 'nodemailer'
import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Letter, Mail, MailOutcome } from './mail.ts'

const require = createRequire(import.meta.url)
const connectTimeoutMs = 15_000
const answerTimeoutMs = 30_000

/** The mail server of `SMTP_URL`; null when none is configured. */
export function createMail(
  { smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  log: Logger,
): Mail | null {
  if (smtpUrl === undefined || mailFrom === undefined) return null
  // Loaded only when mail is configured, which otherwise saves 3 MB. The package types itself.
  const { createTransport } = require('nodemailer') as typeof nodemailer
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: answerTimeoutMs,
    socketTimeout: answerTimeoutMs,
    // Our letters are plain text, so nothing is fetched or read from the disk.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = /@([^@>\s]+)>?$/.exec(mailFrom)?.[1] ?? 'localhost'
  async function send({ id, to, subject, text }: Letter): Promise<MailOutcome> {
    try {
      await transport.sendMail({
        from: mailFrom,
        // One mailbox: an object is never parsed as a list of addresses.
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${domain}>`,
        // RFC 3834 §5: prevents out-of-office replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return { status: 'sent' }
    } catch (error) {
      const code = responseCode(error)
      log.warn({ err: error, letterId: id, responseCode: code }, 'a letter was not accepted')
      return code !== null && code >= 500
        ? { status: 'refused', reason: String(code) }
        : { status: 'unavailable' }
    }
  }
  return { send }
}

function responseCode(error: unknown): number | null {
  const isReply = error instanceof Error && 'responseCode' in error
  return isReply && typeof error.responseCode === 'number' ? error.responseCode : null
}
