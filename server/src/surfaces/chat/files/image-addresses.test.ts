import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import type { Outbound } from '#platform/outbound-http/outbound.ts'
import { startActionServer } from '#test/support/servers/action-server.ts'
import { describeChat, type ChatService, type OpenChat } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'
import { chatSurface } from '#surfaces/chat/index.ts'

const png = Buffer.from('iVBORw0KGgo=', 'base64')
const inline = 'data:image/png;base64,iVBORw0KGgo='
const host = 'https://pictures.example'

/** The paths of a host that has images. */
const answers: Readonly<Record<string, readonly [status: number, body: Buffer]>> = {
  '/a.png': [200, png],
  '/text': [200, Buffer.from('<svg></svg>')],
  '/large': [200, Buffer.concat([png, Buffer.alloc(4000)])],
  '/gone': [404, png],
}

async function openWith(
  open: OpenChat,
  environment: Readonly<Record<string, string>> = {},
  status?: number,
) {
  const pictures = await startActionServer((response, { path }) => {
    const [status, body] = answers[path] ?? [404, png]
    response.writeHead(status, { 'content-type': 'image/png' }).end(body)
  })
  const { model } = await open()
  const chat = await open({
    ...(status === undefined ? {} : { model: { script: () => ({ reply: '', status }) } }),
    environment: {
      OLLAMA_BASE_URL: model.origin,
      GOOGLE_API_KEY: 'k',
      GOOGLE_BASE_URL: model.origin,
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: model.origin,
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
      ...environment,
    },
  })
  const { ctx } = chat
  /** Certificates aside, the way out is the real one: https is checked, then spoken as http here. */
  const request: Outbound['request'] = (url, { httpsOnly, ...rest } = {}) => {
    expect(httpsOnly).toBe(true)
    return ctx.outbound.request(String(url).replace(host, pictures.origin), rest)
  }
  const outbound = { ...ctx.outbound, request }
  const app = new Hono().route('/api/v1', chatSurface({ ...ctx, outbound }))
  return { chat: { ...chat, app }, model, pictures }
}

const seeing = (path: string) => [
  { type: 'text', text: 'What is it?' },
  { type: 'image_url', image_url: { url: `${host}${path}` } },
]

async function ask({ app, agent, key }: ChatService, content: unknown, more: object = {}) {
  const messages = [{ role: 'user', content }]
  const response = await app.request('/api/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: agent.app_name_id, messages, ...more }),
  })
  // Each answer is one JSON object.
  const body = (await response.json()) as { error?: string; chatSessionId?: string }
  return { status: response.status, ...body }
}

describeChat('an image at an address', (open) => {
  test.each([
    ['ollama/llava', true],
    ['google/gemini-2.5-flash', true],
    ['anthropic/claude-opus-5-5', false],
    ['openai/gpt-4o', false],
  ])('is fetched for %s: %s', async (name, isFetched) => {
    const { chat, model, pictures } = await openWith(open)
    const answering = name.startsWith('openai/') ? chat.model : model
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: name })
    const { status, chatSessionId } = await ask(chat, seeing('/a.png'))
    expect(status).toBe(200)
    expect(pictures.requests.map(({ path }) => path)).toEqual(isFetched ? ['/a.png'] : [])
    const sent = JSON.stringify(answering.requests.at(-1)?.body)
    expect(sent.includes('iVBORw0KGgo=')).toBe(isFetched)
    expect(sent.includes(host)).toBe(!isFetched)
    // It is kept with its message, and needs its address no more.
    expect((await ask(chat, 'And now?', { chatSessionId })).status).toBe(200)
    expect(JSON.stringify(answering.requests.at(-1)?.body)).toContain(isFetched ? 'iVBOR' : host)
    expect(pictures.requests).toHaveLength(isFetched ? 1 : 0)
    const stored = chat.ctx.db.read.selectFrom('chat_messages').select('parts_json')
    const [row] = await stored.where('parts_json', 'is not', null).execute()
    expect(row?.parts_json).toContain(isFetched ? inline : host)
  })

  test.each([
    ['/gone', 400, 'cannot be fetched from its URL'],
    ['/text', 400, 'must be a PNG, JPEG, GIF or WebP image'],
    ['/large', 413, 'makes the images of this request larger than 2000 bytes in base64'],
  ])('that is not usable is refused by its place: %s', async (path, wanted, problem) => {
    const { chat, model } = await openWith(open, { MAX_BODY_BYTES: '2000' })
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: 'ollama/llava' })
    const { status, error } = await ask(chat, seeing(path))
    expect([status, error]).toEqual([wanted, `\`messages[0].content[1].image_url\` ${problem}`])
    expect(model.requests).toEqual([])
    expect(await chat.ctx.db.read.selectFrom('chat_sessions').select('id').execute()).toEqual([])
  })

  test('within the network of the service is not fetched', async () => {
    const { chat } = await openWith(open)
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: 'ollama/llava' })
    const image_url = { url: 'https://10.0.0.1/a.png' }
    const { status, error } = await ask(chat, [{ type: 'image_url', image_url }])
    expect(status).toBe(400)
    expect(error).toMatch('cannot be fetched from its URL')
  })

  test('is fetched for background responses and items of conversations before they are stored', async () => {
    const { chat, pictures } = await openWith(open)
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: 'ollama/llava' })
    const { post, refused, call } = responsesOf(chat)
    const item = (path: string) => [
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', image_url: `${host}${path}`, detail: 'auto' }],
      },
    ]
    expect((await post({ input: item('/a.png'), background: true })).status).toBe(200)
    expect((await call('POST', '/conversations', { items: item('/a.png') })).status).toBe(200)
    expect(pictures.requests).toHaveLength(2)
    const problem = await refused(await post({ input: item('/gone'), background: true }), 400)
    expect(problem).toMatchObject({ param: 'input[0].content[0].image_url' })
  })

  test('is not asked of a fallback model whose provider does not fetch', async () => {
    const { chat, model } = await openWith(open, {}, 503)
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, {
      model: 'openai/gpt-4o',
      fallback_models: ['ollama/llava', 'anthropic/claude-opus-5-5'],
    })
    expect((await ask(chat, seeing('/a.png'))).status).toBe(200)
    expect(model.requests.map(({ path }) => path)).toEqual(['/v1/messages'])
  })
})
