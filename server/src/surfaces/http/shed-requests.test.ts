import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Admission } from '#platform/admission/admission.ts'
import { appOf } from '#test/support/identity/sign-in-service.ts'
import { describeInstance } from '#test/support/test-instance.ts'

describeInstance(
  'a process that is overloaded',
  (open) => {
    async function overloadedApp() {
      const { ctx } = await open({ DATA_DIR: tmpdir() })
      const admission: Admission = {
        ...ctx.admission,
        admit() {
          throw new Fault(commonFaults.overloaded, { retryAfterSeconds: 2 })
        },
      }
      const app = appOf({ ctx: { ...ctx, admission } })
      return async (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
        await app.request(new URL(path, ctx.config.baseUrl).href, { method, headers })
    }

    const chat = { error: 'The service is overloaded; try again later' }
    const notReady = 'The service is not ready; try again later'
    const rpc = { jsonrpc: '2.0', id: null, error: { code: -32000, message: notReady } }
    const commerce = { code: 'service_unavailable', message: notReady }

    test.each([
      ['POST', '/api/v1/chat/completions', {}, chat],
      ['POST', '/mcp', {}, rpc],
      ['POST', '/acp/checkout_sessions', {}, { error: commerce }],
      [
        'POST',
        '/acp/checkout_sessions',
        { 'api-version': '2026-04-17' },
        { type: 'service_unavailable', ...commerce },
      ],
    ])(
      'refuses %s %s with 503 and Retry-After in the form of its surface',
      async (method, path, headers, body) => {
        const request = await overloadedApp()
        const response = await request(method, path, headers)
        expect(response.status).toBe(503)
        expect(response.headers.get('retry-after')).toBe('2')
        expect(await response.json()).toEqual(body)
      },
    )

    test.each([
      ['GET', '/healthz', 200],
      ['GET', '/readyz', 200],
      ['GET', '/login', 200],
      ['GET', '/api/dashboard/me', 401],
      ['POST', '/hooks/payments/test', 400],
      ['GET', '/.well-known/oauth-authorization-server', 200],
      ['OPTIONS', '/mcp', 204],
    ])('still answers %s %s with %i', async (method, path, status) => {
      const request = await overloadedApp()
      expect((await request(method, path)).status).toBe(status)
    })
  },
  'sqlite',
)
