import { startActionServer, type ActionServer } from './action-server.ts'

/** The verification of a captcha provider, as Turnstile and hCaptcha document it, on loopback. */
export interface CaptchaServer {
  readonly environment: Readonly<Record<string, string>>
  readonly requests: ActionServer['requests']
  /** What it does from now on; `silent` answers nothing. */
  state: 'answering' | 'silent' | 'broken' | 'wrong secret' | 'firewall'
  /** A token as the provider's widget gives it to a browser at this host, for a site key of anyone. */
  solve(hostname: string, siteKey?: string): string
}

export const captchaSecret = '0xSECRET-of-the-captcha'
export const captchaSiteKey = '0xSITE-KEY'
/** The site key with which hCaptcha's widget gives a token for testing to everyone. */
export const testingSiteKey = '10000000-ffff-ffff-ffff-000000000001'

export async function startCaptchaServer(name: 'turnstile' | 'hcaptcha'): Promise<CaptchaServer> {
  const tokens = new Map<string, { readonly hostname: string; readonly siteKey: string }>()
  const used = new Set<string>()
  const verdict = (form: URLSearchParams): object => {
    const refuse = (code: string) => ({ success: false, 'error-codes': [code] })
    if (form.get('secret') !== captchaSecret || server.state === 'wrong secret')
      return refuse('invalid-input-secret')
    const token = form.get('response') ?? ''
    if (token === '') return refuse('missing-input-response')
    const solved = tokens.get(token)
    if (solved === undefined) return refuse('invalid-input-response')
    const { hostname, siteKey } = solved
    if (name === 'hcaptcha' && siteKey === testingSiteKey) return refuse('not-using-dummy-passcode')
    if (siteKey !== captchaSiteKey)
      return refuse(name === 'hcaptcha' ? 'sitekey-secret-mismatch' : 'invalid-input-response')
    if (used.has(token)) return refuse('timeout-or-duplicate')
    used.add(token)
    return { success: true, challenge_ts: '2026-01-01T00:00:00.000Z', hostname, 'error-codes': [] }
  }
  const http = await startActionServer((response, { body }) => {
    if (server.state === 'silent') return
    const answer = JSON.stringify(verdict(new URLSearchParams(body)))
    const status = { broken: 502, firewall: 403 }[String(server.state)]
    if (status === undefined)
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    else response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Blocked</h1>')
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
    solve(hostname, siteKey = captchaSiteKey) {
      const token = `token-${tokens.size}.${'x'.repeat(300)}`
      tokens.set(token, { hostname, siteKey })
      return token
    },
  }
  return server
}
