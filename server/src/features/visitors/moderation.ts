import { isObject, parseJson } from '#kernel/json.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { OutboundRefused } from '#platform/outbound-http/outbound-refused.ts'
import type { OpenPage } from './open-page.ts'

/** A text before it is answered, or before it is shown. */
export interface Moderated {
  readonly stage: 'message' | 'answer'
  readonly text: string
  readonly endUser: string
  /** Null for the first message of a conversation. */
  readonly conversationId: string | null
}

const timeoutMs = 5000
const maxAnswerBytes = 64 * 1024

/** Whether answers are checked, and so cannot be streamed. */
export function checksAnswers({ settings }: OpenPage): boolean {
  const { blocked_words, moderation_url, moderate_answers } = settings
  return moderate_answers && (blocked_words.length > 0 || moderation_url !== '')
}

/** Whether the page's list of words and its moderation hook let a text pass. */
export async function isAllowed(
  ctx: Pick<Context, 'outbound' | 'log'>,
  page: OpenPage,
  given: Moderated,
): Promise<boolean> {
  const { blocked_words: words, moderation_url: address } = page.settings
  if (containsAny(given.text, words)) return false
  return address === '' || (await asksHook(ctx, page, given))
}

async function asksHook(
  { outbound, log }: Pick<Context, 'outbound' | 'log'>,
  { agentId, appNameId, settings }: OpenPage,
  { stage, text, endUser, conversationId }: Moderated,
): Promise<boolean> {
  const sent = { stage, text, app: appNameId, end_user: endUser, conversation_id: conversationId }
  try {
    const { status, body } = await outbound.request(settings.moderation_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(sent),
      timeoutMs,
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

/** Letters of languages that put no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Whole words, whatever their case and width; `ass` is not found in `class`. */
function containsAny(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return false
  const plain = text.normalize('NFKC').toLowerCase()
  const spaced = ` ${wordsOf(plain)} `
  return words.some((word) => {
    const wanted = word.normalize('NFKC').toLowerCase()
    return unspaced.test(wanted) ? plain.includes(wanted) : spaced.includes(` ${wordsOf(wanted)} `)
  })
}

/** The words of a text with one space between them. */
function wordsOf(text: string): string {
  return (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')
}
