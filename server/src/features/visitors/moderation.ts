import { createHmac } from 'node:crypto'
import { merchantSignature } from '#features/webhooks/index.ts'
import { isObject, parseJson } from '#kernel/json.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { OutboundRefused } from '#platform/outbound-http/outbound-refused.ts'
import { containsAny } from './blocked-words.ts'
import type { OpenPage } from './open-page.ts'

/** A text before it is answered, or before it is shown. */
export interface Moderated {
  readonly stage: 'message' | 'answer'
  readonly text: string
  readonly endUser: string
  /** Null for the first message of a conversation. */
  readonly conversationId: string | null
}

const maxAnswerBytes = 64 * 1024

/**
 * The secret with which Parley signs what it asks a moderation hook. It is derived from the identity
 * secret, so that whoever runs the hook cannot sign identities.
 */
export function moderationSecretOf(identitySecret: string): string {
  return `pms_${createHmac('sha256', identitySecret).update('moderation').digest('base64url')}`
}

/** Whether answers are checked, and so cannot be streamed. */
export function checksAnswers({ settings }: OpenPage): boolean {
  const { blocked_words, moderation_url, moderate_answers } = settings
  return moderate_answers && (blocked_words.length > 0 || moderation_url !== '')
}

/** Of the text of files, in UTF-16 code units: more than a hook reads in its time. */
const mostFileText = 64_000

type HookContext = Pick<Context, 'outbound' | 'log' | 'vault' | 'clock' | 'config'>

/** Whether the page's list of words and its moderation hook let a text pass. */
export async function isAllowed(
  ctx: HookContext,
  page: OpenPage,
  given: Moderated,
): Promise<boolean> {
  const { blocked_words: words, moderation_url: address } = page.settings
  if (await containsAny(given.text, words)) return false
  return address === '' || (await asksHook(ctx, page, given))
}

/** The same for the text of files. The list sees all of it, the hook the beginning. */
export async function isFileTextAllowed(
  ctx: HookContext,
  page: OpenPage,
  given: Moderated,
): Promise<boolean> {
  const { blocked_words: words, moderation_url: address } = page.settings
  if (await containsAny(given.text, words)) return false
  const text = given.text.slice(0, mostFileText)
  return text.trim() === '' || address === '' || (await asksHook(ctx, page, { ...given, text }))
}

async function asksHook(
  { outbound, log, vault, clock, config }: HookContext,
  { agentId, appNameId, settings, identitySealed }: OpenPage,
  { stage, text, endUser, conversationId }: Moderated,
): Promise<boolean> {
  const sent = { stage, text, app: appNameId, end_user: endUser, conversation_id: conversationId }
  const content = JSON.stringify(sent)
  const sign = (sealed: string) =>
    merchantSignature(
      moderationSecretOf(vault.open(sealed)),
      content,
      Math.floor(clock.now() / 1000),
    )
  try {
    const { status, body } = await outbound.request(settings.moderation_url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(identitySealed !== null && { 'parley-signature': sign(identitySealed) }),
      },
      body: content,
      timeoutMs: config.moderationTimeoutMs,
      maxBytes: maxAnswerBytes,
      maxRedirects: 0,
    })
    const answer = status === 200 ? parseJson(body.toString()) : undefined
    if (isObject(answer) && typeof answer.allow === 'boolean') return answer.allow
    log.warn({ agentId, status }, 'a moderation hook gave no decision')
  } catch (error) {
    if (!isNamed<OutboundRefused>(error, 'OutboundRefused')) throw error
    log.warn({ agentId, reason: error.reason }, 'a moderation hook could not be reached')
  }
  return settings.moderation_fails === 'open'
}
