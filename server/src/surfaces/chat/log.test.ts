import { expect, test } from 'vitest'
import { createLogger } from '#platform/log.ts'
import { describeChat, type OpenChat } from '#test/support/chat/chat-service.ts'
import { startMisbehavingModelServer } from '#test/support/servers/misbehaving-model-server.ts'
import { chatSurface } from './index.ts'

describeChat('the log of the chat surface', (open) => {
  test('a correlation id is in the log of an answered, a refused and a failed request', async () => {
    const { send, lines, agent } = await logged(open)
    const messages = [{ role: 'user', content: 'a secret question' }]
    await send('answered-1', { model: agent.app_name_id, messages })
    await send('refused-1', { model: 'x'.repeat(5_000), messages })
    const broken = await logged(open, { server: await startMisbehavingModelServer('answers 500') })
    await broken.send('failed-1', { model: broken.agent.app_name_id, messages })
    expect(lines).toMatchObject([
      { level: 'info', requestId: 'answered-1', model: agent.app_name_id, msg: 'chat turn' },
      { level: 'info', requestId: 'refused-1', status: 404, code: 'agent_unknown' },
    ])
    const errors = broken.lines.filter(({ level }) => level === 'error')
    expect(errors).toMatchObject([{ requestId: 'failed-1', status: 502 }])
    expect(JSON.stringify(lines)).not.toMatch(/secret question|x{500}/)
  })

  test('a caller that disconnects is not logged as an error', async () => {
    const { send, lines, agent, model } = await logged(open, {
      server: await startMisbehavingModelServer('stalls before headers'),
    })
    const caller = new AbortController()
    const messages = [{ role: 'user', content: 'hello' }]
    const answer = send('gone-1', { model: agent.app_name_id, messages }, caller.signal)
    await expect.poll(() => model.requests.length).toBe(1)
    caller.abort()
    await answer
    const own = lines.filter(({ requestId }) => requestId === 'gone-1')
    expect(own.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'chat turn'],
      ['info', 'chat: the client disconnected'],
    ])
  })
})

/** The chat surface with a log that can be read. */
async function logged(open: OpenChat, options: Parameters<OpenChat>[0] = {}) {
  const service = await open(options)
  const lines: Record<string, unknown>[] = []
  const log = createLogger({ logLevel: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  const app = chatSurface({ ...service.ctx, log })
  const send = async (id: string, body: unknown, signal?: AbortSignal) =>
    await app.request('/chat/completions', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/json',
        'x-correlation-id': id,
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
  return { ...service, lines, send }
}
