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

/** These codes say that the settings are wrong, or the provider has failed: no visitor is to blame. */
const notOfVisitors = [
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'not-using-dummy-passcode',
  'internal-error',
]

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
  if (token.length > captcha.longestToken || token.includes(' ')) return 'refused'
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

/** The provider's answer; null if it is none that can be relied on. The visitor's address is not sent. */
async function askProvider(
  { outbound, log }: Pick<Context, 'outbound' | 'log'>,
  { name, api, secret, siteKey }: Captcha,
  token: string,
): Promise<Readonly<Record<string, unknown>> | null> {
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
    const codes = isObject(answer) ? answer['error-codes'] : undefined
    const failures = notOfVisitors.filter((code) => Array.isArray(codes) && codes.includes(code))
    if (isObject(answer) && typeof answer.success === 'boolean' && failures.length === 0)
      return answer
    log.warn({ captcha: name, status, failures }, 'the captcha provider gave no verdict')
  } catch (error) {
    if (!isNamed<OutboundRefused>(error, 'OutboundRefused')) throw error
    log.warn({ captcha: name, reason: error.reason }, 'the captcha provider did not answer')
  }
  return null
}
