import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { describeMcp, mcpBaseUrl, modernMeta, type McpService } from '#test/support/mcp-service.ts'
import { createCatalogueServer } from './catalogue-server.ts'
import { mcpSurface } from './index.ts'

const version = '0.0.0-test'
const modern = { 'mcp-protocol-version': '2026-07-28' }

interface Form {
  readonly about: string
  readonly headers?: Readonly<Record<string, string>>
  readonly more?: object
}

/** Requests whose answers differ in more than the id. */
const forms = (method: string, name?: string): readonly Form[] => {
  const headers = { ...modern, 'mcp-method': method, ...(name && { 'mcp-name': name }) }
  return [
    { about: 'the interface’s own' },
    { about: 'of 2025-03-26', headers: { 'mcp-protocol-version': '2025-03-26' } },
    { about: 'of 2025-11-25', headers: { 'mcp-protocol-version': '2025-11-25' } },
    { about: 'for a stream', headers: { accept: 'text/event-stream' } },
    { about: 'for both types', headers: { accept: 'application/json, text/event-stream' } },
    { about: 'of 2026-07-28', headers, more: { _meta: modernMeta } },
    { about: 'of 2026-07-28 without metadata', headers },
    {
      about: 'whose header names another method',
      headers: { ...headers, 'mcp-method': 'ping' },
      more: { _meta: modernMeta },
    },
    {
      about: 'whose header names another tool',
      headers: { ...headers, 'mcp-name': 'delete_app' },
      more: { _meta: modernMeta },
    },
    { about: 'of an unknown revision', headers: { 'mcp-protocol-version': '1' } },
    { about: 'with a cursor that is no text', more: { cursor: 1 } },
    { about: 'with a progress token', more: { _meta: { progressToken: 'a' } } },
    { about: 'with metadata that is no object', more: { _meta: 1 } },
  ]
}

const ids = [
  7,
  'seven',
  '"tools":[]',
  '"content":[]',
  '',
  0,
  -1.5,
  2 ** 53,
  null,
  [1],
  { a: 1 },
  true,
]

const calls: readonly { readonly name: string; readonly arguments?: unknown }[] = [
  { name: 'whoami' },
  { name: 'whoami', arguments: {} },
  { name: 'whoami', arguments: { unknown: 1 } },
  { name: 'whoami', arguments: null },
  { name: 'whoami', arguments: [] },
  { name: 'whoami', arguments: 'text' },
  { name: 'list_apps', arguments: { limit: 5 } },
  { name: 'get_app', arguments: { app_id: '"content":[] and "id":7' } },
  { name: 'no_such_tool', arguments: {} },
]

describeMcp('lists and calls of tools', (open) => {
  test('are byte for byte what the SDK answers, for the first request of a form and later ones', async () => {
    const service = await open({ plan: 'enterprise' })
    const ours = surface(service)
    const theirs = surface(service, true)
    const asked = [
      { method: 'tools/list', params: undefined, name: undefined },
      ...calls.map((params) => ({ method: 'tools/call', params, name: params.name })),
    ]
    for (const { method, params, name } of asked)
      for (const { about, headers, more } of forms(method, name))
        for (const id of ids) {
          const merged =
            params === undefined && more === undefined ? undefined : { ...params, ...more }
          const body = { jsonrpc: '2.0', id, method, params: merged }
          const sent = { body, headers }
          const expected = await answer(service, theirs, sent)
          const received = await answer(service, ours, sent)
          expect(received, `${JSON.stringify(body)}, ${about}`).toEqual(expected)
        }
  })

  test('are those of the connection', async () => {
    const service = await open({ plan: 'enterprise' })
    const app = surface(service)
    const list = { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }
    const all = await answer(service, app, list)
    const some = await answer(service, app, { ...list, query: '?toolsets=apps&read_only=true' })
    expect(some.text.length).toBeLessThan(all.text.length / 2)
    expect(await answer(service, app, list)).toEqual(all)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }
    expect((await answer(service, app, { body: call })).text).toContain('"structuredContent"')
    const hidden = await answer(service, app, { body: call, query: '?toolsets=apps' })
    expect(hidden.text).toContain('There is no tool whoami here')
  })

  test('of a caller show what that caller may see', async () => {
    const service = await open({ plan: 'enterprise' })
    const app = surface(service)
    const other = await service.person()
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }
    const first = await answer(service, app, { body })
    const second = await answer({ ...service, key: await service.makeKey(other) }, app, { body })
    expect(first.text).toContain(service.owner.email)
    expect(second.text).toContain(other.email)
  })
})

/** @param isPlain answers every request with a server of the SDK */
function surface({ ctx }: McpService, isPlain = false): Hono {
  const makeServer = (caller: Parameters<typeof createCatalogueServer>[2]) =>
    createCatalogueServer(ctx, version, caller)
  const options = isPlain ? { version, makeServer } : { version }
  return new Hono().route('/mcp', mcpSurface(ctx, options))
}

interface Sent {
  readonly body: object
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query?: string
}

/** Everything on the wire except what differs by request: its name and what is left of the limit. */
async function answer({ key }: McpService, app: Hono, { body, headers, query = '' }: Sent) {
  const response = await app.request(`${mcpBaseUrl}/mcp${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-correlation-id': 'compared',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const sentHeaders = [...response.headers].filter(([name]) => !name.startsWith('x-ratelimit'))
  return { status: response.status, headers: sentHeaders, text: await response.text() }
}
