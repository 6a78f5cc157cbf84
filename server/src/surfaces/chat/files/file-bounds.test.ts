import { expect, test } from 'vitest'
import { setPrice } from '#features/credits/index.ts'
import { startActionServer } from '#test/support/servers/action-server.ts'
import { loopback } from '#test/support/chat/agent-with-actions.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'

/** A server with a file, and requests that name it. */
async function startFileServer() {
  const server = await startActionServer((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Words.')
  })
  const file_url = `${server.origin}/list.txt`
  const content = [
    { type: 'input_file', file_url },
    { type: 'input_text', text: '?' },
  ]
  const input = [{ role: 'user', content }]
  const requests: readonly (readonly [path: string, body: object])[] = [
    [
      '/chat/completions',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_url } }] }] },
    ],
    ['/responses', { input }],
    ['/responses', { input, background: true }],
    ['/responses/compact', { input }],
    ['/conversations', { items: input }],
  ]
  return { server, requests }
}

async function send(chat: ChatService, [path, body]: readonly [string, object]): Promise<Response> {
  const model = path === '/conversations' ? {} : { model: chat.agent.app_name_id }
  return await chat.app.request(`/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${chat.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...model, ...body }),
  })
}

const callMicros = 1_000
const price = { promptMicrosPerMillion: 100, completionMicrosPerMillion: 100, callMicros }

describeChat('files of a request', (open) => {
  test('are not fetched without credits, whatever reads them', async () => {
    const { server, requests } = await startFileServer()
    const chat = await open({ environment: { ...loopback, PLAN_CREDITS: 'builder=0' } })
    await setPrice(chat.ctx, chat.owner.userId, { pattern: 'openai/*', price })
    for (const request of requests)
      expect([request[0], (await send(chat, request)).status]).toEqual([request[0], 402])
    expect(server.requests).toEqual([])
  })

  test('are not fetched beyond the rate limit of the agent, whatever reads them', async () => {
    const { server, requests } = await startFileServer()
    const chat = await open({ environment: { ...loopback, CHAT_AGENT_RATE_LIMIT: '1' } })
    expect((await chat.say('?')).status).toBe(200)
    for (const request of requests)
      expect([request[0], (await send(chat, request)).status]).toEqual([request[0], 429])
    expect(server.requests).toEqual([])
  })

  test('are not fetched for a workspace that can store no more messages', async () => {
    const { server, requests } = await startFileServer()
    const chat = await open({ environment: { ...loopback, LIMITS: 'messages_per_workspace=0' } })
    for (const request of requests.filter(([path]) => path !== '/responses/compact'))
      expect([request[0], (await send(chat, request)).status]).toEqual([request[0], 403])
    expect(server.requests).toEqual([])
  })

  test('that cannot be read leave no reserved credits', async () => {
    const { requests } = await startFileServer()
    const chat = await open({ environment: { PLAN_CREDITS: 'builder=1000000' } })
    await setPrice(chat.ctx, chat.owner.userId, { pattern: 'openai/*', price })
    for (const request of requests) expect((await send(chat, request)).status).toBe(400)
    const { read } = chat.ctx.db
    expect(await read.selectFrom('credit_reservations').selectAll().execute()).toEqual([])
    const turns = read.selectFrom('credit_entries').select('id').where('kind', '=', 'turn')
    expect(await turns.execute()).toEqual([])
  })
})
