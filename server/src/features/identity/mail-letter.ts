import { z } from 'zod'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { defineJob, type JobResult } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { identityFaults } from './identity-faults.ts'
import { accountDigest } from './guess-limits.ts'

const letterForm = z.object({
  id: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
})

interface NewLetter {
  readonly to: string
  readonly subject: string
  readonly paragraphs: readonly string[]
}

/** A step: mails a letter after the commit. It is stored sealed, because it contains a link. */
export async function postLetter(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'jobs' | 'vault'>,
  { to, subject, paragraphs }: NewLetter,
): Promise<void> {
  const id = newId(ctx.clock.now())
  const letter: z.infer<typeof letterForm> = { id, to, subject, text: paragraphs.join('\n\n') }
  const sealed = ctx.vault.seal(JSON.stringify(letter))
  await ctx.jobs.enqueue(tx, mailLetter, { sealed }, { key: id })
}

/** Mails one letter. A retry uses the same Message-ID. */
export const mailLetter = defineJob({
  kind: 'identity.mail_letter',
  input: z.object({ sealed: z.string() }),
  async run({ mail, vault, log }: Context, { sealed }, { isLast }): Promise<JobResult> {
    const letter = letterForm.parse(JSON.parse(vault.open(sealed)))
    const outcome = mail === null ? 'no mail server' : (await mail.send(letter)).status
    if (outcome === 'sent') return undefined
    if (outcome === 'unavailable' && !isLast)
      throw new Error('the mail server did not accept the message')
    log.warn({ letterId: letter.id, outcome }, 'a letter was not sent')
    return undefined
  },
})

/**
 * Counts a letter that a caller requested. The limits bound what one address or one account can
 * request, and how many letters one mailbox receives.
 *
 * @throws Fault mail_not_configured, letters_limited
 */
export async function requireLetterAllowed(
  { config, limits, mail }: Pick<Context, 'config' | 'limits' | 'mail'>,
  { to, from }: { readonly to: string; readonly from: string },
): Promise<void> {
  if (mail === null) throw new Fault(identityFaults.mail_not_configured)
  const window = { limit: config.mailLinksLimit, windowSeconds: 60 * 60 }
  for (const key of [`letters:from:${from}`, `letters:to:${accountDigest(to)}`]) {
    const { allowed, retryAfterSeconds } = await limits.consume(key, window)
    if (!allowed) throw new Fault(identityFaults.letters_limited, { retryAfterSeconds })
  }
}
