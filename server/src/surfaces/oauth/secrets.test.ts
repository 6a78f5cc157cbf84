import { expect, test } from 'vitest'
import { createLogger } from '#platform/log.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  appOf,
  baseUrl,
  clientId,
  describeSignIn,
  obtainCode,
  redemptionBody,
} from '#test/support/identity/sign-in-service.ts'

describeSignIn('secrets of sign-in and authorization', (open) => {
  test('tokens in logs: no code, token, cookie or password is logged, whatever fails', async () => {
    const service = await open()
    const lines: string[] = []
    const log = createLogger(
      { ...service.ctx.config, logLevel: 'trace' },
      { write: (line: string) => lines.push(line) },
    )
    const ctx = { ...service.ctx, log }
    const app = appOf({ ctx })
    const request = async (url: string, init: RequestInit) => await app.request(url, init)
    const browser = new FormBrowser(request, { origin: baseUrl })
    const { email, password } = service.ada
    await browser.open('/login')
    await browser.submit('/login', { email, password: `${password} wrongly` })
    await browser.submit('/login', { email, password })
    const flow = await obtainCode(browser)
    const post = async (path: string, body: object) =>
      await app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const response = await post('/mcp/oauth/token', redemptionBody(flow))
    const tokens = (await response.json()) as { access_token: string; refresh_token: string }
    await post('/mcp/oauth/token', redemptionBody(flow))
    const { refresh_token } = tokens
    await post('/mcp/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: clientId,
    })
    await post('/mcp/oauth/revoke', { token: refresh_token })
    await browser.open(`/setup?token=${'s'.repeat(43)}`)
    // Refusals are logged at debug: an empty log would prove nothing.
    expect(lines.join('')).toContain('oauth: request refused')
    expect(lines.join('')).toContain('a sign-in was refused')
    const secrets = [
      password,
      flow.code,
      flow.pkce.verifier,
      tokens.access_token,
      refresh_token,
      's'.repeat(43),
      ...browser.cookies.values(),
    ]
    for (const secret of secrets) expect(lines.join('')).not.toContain(secret)
  })

  test('secrets in a URL: the token endpoint reads nothing from the query', async () => {
    const service = await open()
    const flow = await obtainCode(await service.signedIn())
    const query = new URLSearchParams(redemptionBody(flow)).toString()
    const inQuery = await service.post(`/mcp/oauth/token?${query}`, new URLSearchParams())
    expect(inQuery.status).toBe(400)
    expect(await inQuery.json()).toMatchObject({ error: 'invalid_request' })
    expect((await service.post('/mcp/oauth/token', redemptionBody(flow))).status).toBe(200)
  })
})
