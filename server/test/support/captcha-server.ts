import { startActionServer, type ActionServer } from './action-server.ts'

/** The verification of a captcha provider, as Turnstile and hCaptcha document it, on loopback. */
export interface CaptchaServer {
  readonly environment: Readonly<Record<string, string>>
  readonly requests: ActionServer['requests']
  /** What it does from now on; `silent` answers nothing. */
  state: 'answering' | 'silent' | 'broken' | 'wrong secret'
  /** A token as the provider's widget gives it to a browser at this host. */
  solve(hostname: string): string
}

export const captchaSecret = '0xSECRET-of-the-captcha'
export const captchaSiteKey = '0xSITE-KEY'

export async function startCaptchaServer(name: 'turnstile' | 'hcaptcha'): Promise<CaptchaServer> {
  const tokens = new Map<string, string>()
  const verdict = (form: URLSearchParams): object => {
    const refuse = (code: string) => ({ success: false, 'error-codes': [code] })
    if (form.get('secret') !== captchaSecret || server.state === 'wrong secret')
      return refuse('invalid-input-secret')
    const token = form.get('response') ?? ''
    if (token === '') return refuse('missing-input-response')
    if (name === 'hcaptcha' && form.get('sitekey') !== captchaSiteKey)
      return refuse('sitekey-secret-mismatch')
    const hostname = tokens.get(token)
    if (hostname === undefined) return refuse('invalid-input-response')
    tokens.set(token, 'used')
    if (hostname === 'used') return refuse('timeout-or-duplicate')
    return { success: true, challenge_ts: '2026-01-01T00:00:00.000Z', hostname, 'error-codes': [] }
  }
  const http = await startActionServer((response, { body }) => {
    if (server.state === 'silent') return
    const answer = JSON.stringify(verdict(new URLSearchParams(body)))
    const status = server.state === 'broken' ? 502 : 200
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(status === 200 ? answer : 'Bad Gateway')
  })
  const server: CaptchaServer = {
    environment: {
      VISITOR_PROOF_AT: '1',
      VISITOR_CHALLENGE: name,
      VISITOR_CHALLENGE_SITE_KEY: captchaSiteKey,
      VISITOR_CHALLENGE_SECRET: captchaSecret,
      VISITOR_CHALLENGE_API_BASE: http.origin,
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    },
    requests: http.requests,
    state: 'answering',
    solve(hostname) {
      const token = `token-${tokens.size}.${'x'.repeat(300)}`
      tokens.set(token, hostname)
      return token
    },
  }
  return server
}
