import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { describeMcp, mcpBaseUrl } from '#test/support/mcp-service.ts'
import { mcpMessagesSurface, mcpSurface } from './index.ts'

const options = { version: '0.0.0-test' }
const rpc = (method: string, params?: object, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

interface Case {
  readonly about: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const list = rpc('tools/list')
const cases: readonly Case[] = [
  { about: 'a list' },
  { about: 'a list under the path of the service', path: '/base/mcp' },
  { about: 'a list of some tools', path: '/mcp?toolsets=apps' },
  { about: 'a call', body: rpc('tools/call', { name: 'whoami' }) },
  { about: 'a call of no tool', body: rpc('tools/call', { name: 'no_such_tool' }) },
  { about: 'what the SDK answers', body: rpc('ping') },
  {
    about: 'a notification',
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  },
  { about: 'no token', headers: { authorization: '' } },
  { about: 'an unknown token', headers: { authorization: `Bearer svc_at_${'a'.repeat(43)}` } },
  { about: 'an allowed origin', headers: { origin: mcpBaseUrl } },
  { about: 'a refused origin', headers: { origin: 'https://elsewhere.example' } },
  { about: 'a refused origin of no token', headers: { origin: 'null', authorization: '' } },
  { about: 'an unknown toolset', path: '/mcp?toolsets=unknown', headers: { origin: mcpBaseUrl } },
  { about: 'another type', headers: { 'content-type': 'text/plain' } },
  { about: 'no JSON', body: '{' },
  { about: 'an unknown revision', headers: { 'mcp-protocol-version': '1' } },
]

/** Those that the other routes answer. */
const others: readonly Case[] = [
  { about: 'a slash at the end', path: '/mcp/' },
  { about: 'an unknown path', path: '/mcp/unknown' },
  { about: 'a GET', method: 'GET' },
  { about: 'a preflight', method: 'OPTIONS', headers: { origin: mcpBaseUrl } },
]

describeMcp('the messages surface', (open) => {
  test('answers messages as the whole surface does, with the same headers, and leaves the rest to it', async () => {
    const { ctx, key } = await open({ plan: 'enterprise' })
    const whole = new Hono()
    for (const base of ['', '/base']) whole.route(`${base}/mcp`, mcpSurface(ctx, options))
    let passedOn = 0
    const messages = mcpMessagesSurface(ctx, options, ['', '/base'], (...given) => {
      passedOn += 1
      return whole.fetch(...given)
    })
    const answer = async (app: Hono<never> | typeof whole | typeof messages, given: Case) => {
      const { path = '/mcp', method = 'POST', body = list } = given
      const response = await app.request(`${mcpBaseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-correlation-id': 'compared',
          ...given.headers,
        },
        ...(method === 'POST' && { body }),
      })
      const headers = [...response.headers].map(([name, value]) =>
        /^x-ratelimit-(?:remaining|reset)$/.test(name) ? [name, Number(value) > 0] : [name, value],
      )
      return { status: response.status, headers, text: await response.text() }
    }
    for (const one of [...cases, ...others])
      expect(await answer(messages, one), one.about).toEqual(await answer(whole, one))
    expect(passedOn).toBe(others.length)
  })

  test('refuses a name that is not the service’s, and a caller over their limit', async () => {
    const environment = { MCP_RATE_LIMITS: 'builder=1', BASE_URL: mcpBaseUrl }
    const { ctx, key } = await open({ plan: 'builder', environment })
    const app = mcpMessagesSurface(ctx, options, [''], () => new Response(null, { status: 404 }))
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const ask = (origin: string) =>
      app.request(`${origin}/mcp`, { method: 'POST', headers, body: list })
    const elsewhere = await ask('http://rebound.example')
    expect(elsewhere.status).toBe(403)
    expect(elsewhere.headers.get('cache-control')).toBe('no-store')
    expect((await ask(mcpBaseUrl)).headers.get('x-ratelimit-remaining')).toBe('0')
    const limited = await ask(mcpBaseUrl)
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(limited.headers.get('x-ratelimit-limit')).toBe('1')
  })
})
