import { isObject, parseJson } from '#kernel/json.ts'
import { isNamed } from '#kernel/named-error.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { OutboundRefused } from '#platform/outbound-http/outbound-refused.ts'

/** A provider of captchas, as its documentation describes it. */
interface CaptchaProvider {
  /** The name of its global object in browsers. */
  readonly name: 'turnstile' | 'hcaptcha'
  readonly script: string
  /** Where its script and frames come from. */
  readonly hosts: readonly string[]
  readonly needsStyles: boolean
  /** The address below which `/siteverify` is. */
  readonly api: string
  readonly longestToken: number
}

const providers: Readonly<Record<CaptchaProvider['name'], CaptchaProvider>> = {
  turnstile: {
    name: 'turnstile',
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    hosts: ['https://challenges.cloudflare.com'],
    needsStyles: false,
    api: 'https://challenges.cloudflare.com/turnstile/v0',
    longestToken: 2048,
  },
  hcaptcha: {
    name: 'hcaptcha',
    script: 'https://js.hcaptcha.com/1/api.js',
    hosts: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
    needsStyles: true,
    api: 'https://api.hcaptcha.com',
    longestToken: 8192,
  },
}

export interface Captcha extends CaptchaProvider {
  readonly siteKey: string
  readonly secret: string
}

type Configured = Pick<
  Context['config'],
  | 'visitorChallenge'
  | 'visitorChallengeSiteKey'
  | 'visitorChallengeSecret'
  | 'visitorChallengeApiBase'
>

/** The captcha of the instance; null where visitors do a proof of work instead. */
export function captchaOf(config: Configured): Captcha | null {
  const { visitorChallenge, visitorChallengeSiteKey: siteKey } = config
  const { visitorChallengeSecret: secret, visitorChallengeApiBase: base } = config
  if (visitorChallenge === 'proof' || siteKey === undefined || secret === undefined) return null
  const provider = providers[visitorChallenge]
  return { ...provider, siteKey, secret, api: base ?? provider.api }
}

/**
 * The page with the captcha, at the service for all chat pages. A page with an opaque origin cannot show
 * one, and the domains of customers need not be entered at the provider.
 */
export function captchaAddress({ baseUrl }: Pick<Context['config'], 'baseUrl'>): string {
  return `${baseUrl}/chat-captcha`
}

const timeoutMs = 3000
const maxAnswerBytes = 16 * 1024
/** Longer than a token is valid at either provider. */
const rememberedSeconds = 600

/** Both providers write tokens in base64url, with dots. */
const tokenForm = /^[\w.-]*$/

/**
 * These codes say that the secret is wrong, or the provider has failed. No token can cause them, so no
 * visitor can choose the proof of work with one.
 */
const notOfTokens = ['missing-input-secret', 'invalid-input-secret', 'internal-error']

/** Caused by a token of another site key or for testing, or by wrong settings. The log tells the operator. */
const ofKeys = ['sitekey-secret-mismatch', 'not-using-dummy-passcode']

type Verdict = 'passed' | 'refused' | 'unknown'

/**
 * Asks the provider whether a visitor has solved its captcha here. Each token is good for one message.
 *
 * @returns unknown if the provider gives no verdict
 */
export async function verifyCaptcha(
  ctx: Pick<Context, 'config' | 'limits' | 'outbound' | 'log'>,
  captcha: Captcha,
  token: string,
): Promise<Verdict> {
  if (token.length > captcha.longestToken || !tokenForm.test(token)) return 'refused'
  const once = { limit: 1, windowSeconds: rememberedSeconds }
  if (token !== '' && !(await ctx.limits.consume(`captcha:${hashToken(token)}`, once)).allowed)
    return 'refused'
  const answer = await askProvider(ctx, captcha, token)
  if (answer === null) return 'unknown'
  if (answer.success !== true) return 'refused'
  const host = new URL(ctx.config.baseUrl).hostname
  if (answer.hostname === host) return 'passed'
  const given = String(answer.hostname).slice(0, 253)
  ctx.log.warn({ captcha: captcha.name, hostname: given }, 'a captcha was solved at another host')
  return 'refused'
}

type Answer = Readonly<Record<string, unknown>>
const refused: Answer = { success: false }

/** The provider's answer; null if it is none that can be relied on. The visitor's address is not sent. */
async function askProvider(
  { outbound, log }: Pick<Context, 'outbound' | 'log'>,
  { name, api, secret, siteKey }: Captcha,
  token: string,
): Promise<Answer | null> {
  const form = new URLSearchParams({ secret, response: token })
  if (name === 'hcaptcha') form.set('sitekey', siteKey)
  try {
    const { status, body } = await outbound.request(`${api}/siteverify`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form.toString(),
      timeoutMs,
      maxBytes: maxAnswerBytes,
      maxRedirects: 0,
    })
    const answer = parseJson(body.toString())
    const isVerdict = isObject(answer) && typeof answer.success === 'boolean'
    const failures = codesIn(answer, notOfTokens)
    if (isVerdict && failures.length === 0) {
      const codes = codesIn(answer, ofKeys)
      if (codes.length > 0) log.warn({ captcha: name, codes }, 'a captcha does not match the keys')
      return answer
    }
    log.warn({ captcha: name, status, failures }, 'the captcha provider gave no verdict')
    // A firewall before the provider judges the request, of which the visitor wrote the token.
    if (!isVerdict && status >= 400 && status < 500) return refused
  } catch (error) {
    if (!isNamed<OutboundRefused>(error, 'OutboundRefused')) throw error
    log.warn({ captcha: name, reason: error.reason }, 'the captcha provider did not answer')
  }
  return null
}

function codesIn(answer: unknown, codes: readonly string[]): string[] {
  const given = isObject(answer) ? answer['error-codes'] : undefined
  return codes.filter((code) => Array.isArray(given) && given.includes(code))
}
