import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ConfigError, readConfig } from '#config'
import {
  captchaSecret,
  captchaSiteKey,
  startCaptchaServer,
  testingSiteKey,
  type CaptchaServer,
} from '#test/support/servers/captcha-server.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'
import { prove } from '../../../../dashboard/chat/proof.ts'

const host = 'localhost'

describe.each(['turnstile', 'hcaptcha'] as const)('with a captcha of %s', (name) => {
  describeVisitors('a visitor under pressure', (open) => {
    let service: VisitorService
    let provider: CaptchaServer
    let token: string
    const logged: string[] = []

    beforeAll(async () => {
      provider = await startCaptchaServer(name)
      service = await open({
        environment: { ...provider.environment, VISITOR_ADDRESS_RATE_LIMIT: 'unlimited' },
      })
      for (const level of ['warn', 'error', 'info'] as const)
        vi.spyOn(service.ctx.log, level).mockImplementation((...words: unknown[]) => {
          logged.push(JSON.stringify(words))
        })
      // From now on, each message needs a captcha.
      const first = await service.visit()
      expect((await service.ask(first.token, '/messages', { text: 'hello' })).status).toBe(200)
    })
    beforeEach(async () => {
      provider.state = 'answering'
      provider.requests.length = 0
      logged.length = 0
      ;({ token } = await service.visit())
    })

    const send = async (proof?: string) => {
      const response = await service.ask(token, '/messages', { text: 'hello', proof })
      const body = await response.text()
      if (response.ok) return { status: response.status }
      const { error } = JSON.parse(body) as { error: Record<string, unknown> }
      return { status: response.status, ...error }
    }
    const required = {
      status: 429,
      code: 'captcha_required',
      check: 'http://localhost:3000/chat-captcha',
    }

    test('is told where the captcha is, and its token is accepted once', async () => {
      expect(await send()).toEqual(required)
      expect(provider.requests).toHaveLength(0)
      const solved = provider.solve(host)
      expect(await send(solved)).toEqual({ status: 200 })
      const form = new URLSearchParams(provider.requests[0]?.body)
      expect(Object.fromEntries(form)).toEqual({
        secret: captchaSecret,
        response: solved,
        ...(name === 'hcaptcha' && { sitekey: captchaSiteKey }),
      })
      expect(await send(solved)).toEqual(required)
      // The second time, the provider is not even asked.
      expect(provider.requests).toHaveLength(1)
    })

    test('is accepted with one of two messages that bring the same token at the same time', async () => {
      const solved = provider.solve(host)
      const answers = await Promise.all([send(solved), send(solved), send(solved)])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429, 429])
      expect(provider.requests).toHaveLength(1)
    })

    test('is refused with an invented or empty token, one of another host, and a long one', async () => {
      expect(await send('invented')).toEqual(required)
      expect(await send('')).toEqual(required)
      expect(await send(provider.solve('evil.example'))).toEqual(required)
      expect(await send(provider.solve(`${host}.evil.example`))).toEqual(required)
      expect(provider.requests).toHaveLength(4)
      expect(await send('x'.repeat(8193))).toEqual(required)
      expect(provider.requests).toHaveLength(4)
    })

    test('cannot choose a proof of work instead', async () => {
      const invented = await prove(`${Date.now() + 60_000}.abc.def`, 16)
      expect(await send(invented)).toEqual(required)
      // Tokens that anyone can solve with another site key.
      expect(await send(provider.solve(host, '0xKEY-OF-AN-ATTACKER'))).toEqual(required)
      expect(await send(provider.solve(host, testingSiteKey))).toEqual(required)
      const mismatches = logged.filter((line) => line.includes('does not match the keys'))
      expect(mismatches).toHaveLength(name === 'hcaptcha' ? 2 : 0)
    })

    test('cannot do so with a token that a firewall refuses either', async () => {
      for (const wrong of ["' or 1=1--", '<script>', '../../etc/passwd', 'a b', 'a\nb'])
        expect(await send(wrong)).toEqual(required)
      expect(provider.requests).toHaveLength(0)
      provider.state = 'firewall'
      expect(await send(provider.solve(host))).toEqual(required)
      expect(logged.join('\n')).toContain('the captcha provider gave no verdict')
    })

    test.each(['broken', 'wrong secret'] as const)(
      'does a proof of work while the provider is no help: %s',
      async (state) => {
        provider.state = state
        const asked = (await send(provider.solve(host))) as { challenge?: string; bits?: number }
        expect(asked).toMatchObject({ status: 429, code: 'proof_required' })
        const proof = await prove(asked.challenge ?? '', asked.bits ?? 0)
        expect(await send(proof)).toEqual({ status: 200 })
        expect(await send(proof)).toEqual(required)
        expect(logged.join('\n')).toContain('the captcha provider gave no verdict')
        expect(logged.join('\n')).not.toContain(captchaSecret)
      },
    )

    test('waits three seconds for a provider that does not answer, also without a token', async () => {
      provider.state = 'silent'
      const [began, answer] = [performance.now(), await send('')]
      expect(answer).toMatchObject({ status: 429, code: 'proof_required' })
      expect(performance.now() - began).toBeGreaterThan(2900)
      expect(logged.join('\n')).toMatch(/did not answer/)
      expect(logged.join('\n')).not.toContain(captchaSecret)
    })

    test('can have the provider asked only as often as messages are allowed', async () => {
      for (let n = 0; n < 20; n++) expect(await send('invented')).toEqual(required)
      expect(await send('invented')).toMatchObject({ status: 429, code: 'visitor_limited' })
    })

    test('opens a page that names only the provider, without rights at the service', async () => {
      const page = await service.request('/chat-captcha')
      expect(page.status).toBe(200)
      const policy = page.headers.get('content-security-policy') ?? ''
      const theirs =
        name === 'turnstile'
          ? 'https://challenges.cloudflare.com'
          : 'https://hcaptcha.com https://*.hcaptcha.com'
      const rules = policy.split('; ')
      expect(rules).toContain(`frame-src ${theirs}`)
      expect(rules).toContain(`connect-src ${theirs}`)
      expect(rules).toContain("default-src 'none'")
      expect(rules).toContain("frame-ancestors 'none'")
      expect(rules.at(-1)).toBe('sandbox allow-scripts allow-same-origin allow-forms')
      expect(policy).toMatch(new RegExp(`script-src 'nonce-[\\w-]+' ${RegExp.escape(theirs)};`))
      const html = await page.text()
      expect(html).toContain(`data-sitekey="${captchaSiteKey}"`)
      expect(html).not.toContain(captchaSecret)
      // The chat page itself stays as it is.
      const chat = await service.request(service.path)
      expect(chat.headers.get('content-security-policy')).not.toContain(theirs)
      expect(await chat.text()).not.toMatch(/cloudflare|hcaptcha\.com|SECRET/)
    })
  })
})

describeVisitors('without a captcha', (open) => {
  test('there is no page for one', async () => {
    const service = await open()
    expect((await service.request('/chat-captcha')).status).toBe(404)
  })
})

describe('VISITOR_CHALLENGE', () => {
  test('needs a known name and both keys, and never shows the secret', () => {
    expect(() => readConfig({ VISITOR_CHALLENGE: 'recaptcha' })).toThrow(
      'VISITOR_CHALLENGE must be proof, turnstile or hcaptcha',
    )
    expect(() => readConfig({ VISITOR_CHALLENGE: 'turnstile' })).toThrow(
      /VISITOR_CHALLENGE_SITE_KEY is required.*VISITOR_CHALLENGE_SECRET is required with VISITOR_CHALLENGE=turnstile/,
    )
    const half = { VISITOR_CHALLENGE: 'hcaptcha', VISITOR_CHALLENGE_SECRET: captchaSecret }
    const problems = (() => {
      try {
        readConfig(half)
      } catch (error) {
        return error instanceof ConfigError ? error.problems : []
      }
      return []
    })()
    expect(problems).toEqual([
      'VISITOR_CHALLENGE_SITE_KEY is required with VISITOR_CHALLENGE=hcaptcha',
    ])
    expect(readConfig({ ...half, VISITOR_CHALLENGE_SITE_KEY: captchaSiteKey })).toMatchObject({
      visitorChallenge: 'hcaptcha',
    })
    expect(readConfig({}).visitorChallenge).toBe('proof')
  })
})
