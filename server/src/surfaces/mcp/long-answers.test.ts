import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import {
  describeListening,
  type ListeningService,
} from '#test/support/processes/listening-service.ts'
import { modernMeta } from '#test/support/mcp-service.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

const modern = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'chat_with_app',
}
const takesStreams = { accept: 'application/json, text/event-stream' }

describeListening('an answer that takes long', (listen) => {
  let model: ModelServer
  let service: ListeningService
  let key: string
  let appId: string

  beforeAll(async () => {
    const slow = (text: unknown) => JSON.stringify(text).includes('slow')
    model = await startModelServer({
      script: ({ body }) => ({ reply: 'At last.', firstByteMs: slow(body.messages) ? 60_000 : 0 }),
    })
    const environment = {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      DEFAULT_MODEL: 'openai/mock',
    }
    service = await listen({ environment })
    key = await service.makeKey(service.owner)
    appId = (await createAgent(service.ctx, service.owner, { name: 'Slow' })).id
  })
  afterAll(() => model.stop())

  function chat(message: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal) {
    const isModern = 'mcp-method' in headers
    const call = { name: 'chat_with_app', arguments: { app_id: appId, message } }
    const params = isModern ? { ...call, _meta: modernMeta } : call
    return fetch(service.mcpUrl, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** How many answers are stored as aborted. */
  async function cutShort(): Promise<number> {
    const rows = await service.ctx.db.read
      .selectFrom('chat_messages')
      .select('id')
      .where('error_code', '=', 'turn_aborted')
      .execute()
    return rows.length
  }

  test('is streamed to older clients that accept a stream, so that no proxy cuts it', async () => {
    const response = await chat('hello', takesStreams)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(await response.text()).toContain('At last.')
  })

  test('is JSON for those that do not', async () => {
    const response = await chat('hello', {})
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toContain('At last.')
  })

  describe.each([
    ['2025-11-25, streamed', takesStreams],
    ['2025-11-25, as JSON', {}],
    ['2026-07-28', modern],
  ])('of %s', (_, headers) => {
    test('ends its model call when the client disconnects, and is stored as cut short', async () => {
      const before = await cutShort()
      const asked = model.requests.length
      const caller = new AbortController()
      const answer = chat('slow', headers, caller.signal)
        .then((response) => response.text())
        .catch((error: unknown) => error)
      const request = await model.request(asked)
      caller.abort()
      expect(await answer).toBeInstanceOf(Error)
      await request.aborted
      await expect.poll(cutShort).toBe(before + 1)
    })
  })
})
