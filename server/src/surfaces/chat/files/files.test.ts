import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { eraseEndUser } from '#features/analytics/index.ts'
import { startActionServer } from '#test/support/servers/action-server.ts'
import { loopback } from '#test/support/chat/agent-with-actions.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'
import { actorOf } from '#test/support/test-instance.ts'

const dataUrl = (type: string, bytes: string | Buffer) =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

const inline = (filename: string, type: string, bytes: string | Buffer) => ({
  type: 'file',
  file: { filename, file_data: dataUrl(type, bytes) },
})

const note = inline('note.md', 'text/markdown', '# Colours\n\nThe door is green.')

/** A user message with these parts and a question. */
const asking = (question: string, ...parts: object[]) => ({
  messages: [{ role: 'user', content: [...parts, { type: 'text', text: question }] }],
})

const respond = (chat: ChatService, input: unknown, more: object = {}) =>
  chat.app.request('/api/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${chat.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: chat.agent.app_name_id, input, ...more }),
  })

/** What the model read last. */
function lastRead({ model }: ChatService): string {
  const messages = model.requests.at(-1)?.body.messages as { content: string }[] // OpenAI's format.
  return messages.map(({ content }) => content).join('\n---\n')
}

describeChat('files of a chat request', (open) => {
  test('are quoted whole before the words of their message, in later turns too', async () => {
    const chat = await open()
    const answer = await answerOf(chat.say('', asking('Which colour?', note)))
    expect(lastRead(chat)).toContain(
      '<file name="note.md">\n# Colours\nThe door is green.\n</file>',
    )
    expect(lastRead(chat)).toMatch(/Which colour\?$/)
    await chat.say('Sure?', { chatSessionId: answer.chatSessionId })
    expect(lastRead(chat)).toMatch(/The door is green\.[^]*Which colour\?[^]*Sure\?$/)
  })

  test('can be PDFs, with the numbers of their pages', async () => {
    const chat = await open()
    const pdf = makePdf(['The first page.', 'The second page.'])
    const part = inline('book.pdf', 'application/pdf', pdf)
    expect((await chat.say('', asking('?', part))).status).toBe(200)
    expect(lastRead(chat)).toMatch(/\[Page 1\]\nThe first page\.\n\[Page 2\]\nThe second page\./)
  })

  test('are searched for the question when they are long', async () => {
    const chat = await open({ environment: { CHAT_FILE_TEXT_PER_TURN: '4000' } })
    const plain = Array.from(
      { length: 60 },
      (_, n) => `## Part ${n}\n\n${'Words about ducks. '.repeat(20)}`,
    )
    plain[40] = '## Part 40\n\nThe warranty lasts seven years.'
    const part = inline('long.md', 'text/markdown', plain.join('\n\n'))
    expect((await chat.say('', asking('How long is the warranty?', part))).status).toBe(200)
    const read = lastRead(chat)
    expect(read).toContain('The warranty lasts seven years.')
    expect(read).toContain('These are excerpts')
    expect(read.length).toBeLessThan(6000)
  })

  test('are fetched from a URL, under its name and type', async () => {
    const server = await startActionServer((response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
      response.end('Fetched words.')
    })
    const chat = await open({ environment: loopback })
    const part = { type: 'file', file: { file_url: `${server.origin}/a/list.txt` } }
    expect((await chat.say('', asking('?', part))).status).toBe(200)
    expect(lastRead(chat)).toContain('<file name="list.txt">\nFetched words.')
  })

  test('hold no slot while they are fetched', async () => {
    const held: ServerResponse[] = []
    const server = await startActionServer((response) => void held.push(response))
    const environment = { ...loopback, IMPORTS_AT_ONCE: '1', IMPORTS_WAITING: '0' }
    const chat = await open({ environment })
    const part = { type: 'file', file: { file_url: `${server.origin}/list.txt` } }
    const waiting = chat.say('', asking('?', part))
    await server.seen(1)
    expect((await chat.say('', asking('?', note))).status).toBe(200)
    held[0]?.writeHead(200, { 'content-type': 'text/plain' }).end('Fetched words.')
    expect((await waiting).status).toBe(200)
  })

  test('are loaded and read for a limited time', async () => {
    const server = await startActionServer(() => {})
    const chat = await open({ environment: { ...loopback, CHAT_FILES_TIMEOUT_MS: '200' } })
    const part = { type: 'file', file: { file_url: `${server.origin}/list.txt` } }
    const response = await chat.say('', asking('?', part))
    const error =
      '`messages[0].content[0].file.file_url` cannot be read: it was not loaded and read in time'
    expect([response.status, await response.json()]).toEqual([400, { error }])
  })

  test('of a turn beyond the rate limit are not fetched', async () => {
    const server = await startActionServer((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('Words.')
    })
    const chat = await open({ environment: { ...loopback, CHAT_AGENT_RATE_LIMIT: '1' } })
    const file_url = `${server.origin}/list.txt`
    expect((await chat.say('?')).status).toBe(200)
    const part = { type: 'file', file: { file_url } }
    expect((await chat.say('', asking('?', part))).status).toBe(429)
    const content = [{ type: 'input_file', file_url }]
    expect((await respond(chat, [{ role: 'user', content }])).status).toBe(429)
    expect(server.requests).toEqual([])
  })

  test('at a private address, missing ones and refused ones look alike', async () => {
    const server = await startActionServer((response) => {
      response.writeHead(404).end()
    })
    const guarded = await open()
    const lax = await open({ environment: loopback })
    const part = { type: 'file', file: { file_url: `${server.origin}/list.txt` } }
    const answers = []
    for (const chat of [guarded, lax]) {
      const response = await chat.say('', asking('?', part))
      answers.push([response.status, await response.json()])
    }
    const error = '`messages[0].content[0].file.file_url` cannot be fetched from its URL'
    expect(answers).toEqual([
      [400, { error }],
      [400, { error }],
    ])
    expect(server.requests).toHaveLength(1)
  })

  test('are `input_file` in the Responses API, and listed without their bytes', async () => {
    const chat = await open()
    const part = {
      type: 'input_file',
      filename: note.file.filename,
      file_data: note.file.file_data,
    }
    const content = [part, { type: 'input_text', text: 'Which colour?' }]
    const response = await respond(chat, [{ role: 'user', content }])
    expect(response.status).toBe(200)
    expect(lastRead(chat)).toContain('The door is green.')
    const { id } = (await response.json()) as { id: string }
    const headers = { authorization: `Bearer ${chat.key}` }
    const items = await chat.app.request(`/api/v1/responses/${id}/input_items`, { headers })
    expect(await items.json()).toMatchObject({
      data: [{ content: [{ type: 'input_file', filename: 'note.md' }, { type: 'input_text' }] }],
    })
  })

  test('can be items of a conversation, whose text the next response reads', async () => {
    const chat = await open()
    const part = { type: 'input_file', ...note.file }
    const items = [{ role: 'user', content: [part] }]
    const headers = { authorization: `Bearer ${chat.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ items })
    const made = await chat.app.request('/api/v1/conversations', { method: 'POST', headers, body })
    const { id: conversation } = (await made.json()) as { id: string }
    expect((await respond(chat, 'Which colour?', { conversation })).status).toBe(200)
    expect(lastRead(chat)).toMatch(/The door is green\.[^]*Which colour\?$/)
  })

  test('are erased with their session', async () => {
    const chat = await open()
    await chat.say('', { ...asking('?', note), user: 'ada' })
    const { ctx, owner } = chat
    const stored = () => ctx.db.read.selectFrom('chat_messages').select('parts_json').execute()
    expect(JSON.stringify(await stored())).toContain('The door is green.')
    await eraseEndUser(ctx, actorOf(owner), owner.workspaceId, {
      appId: chat.agent.id,
      endUser: 'ada',
    })
    expect(JSON.stringify(await stored())).not.toContain('The door is green.')
  })

  test('with `store: false` nothing of them is stored', async () => {
    const chat = await open()
    expect((await chat.say('', { ...asking('?', note), store: false })).status).toBe(200)
    expect(lastRead(chat)).toContain('The door is green.')
    expect(await chat.ctx.db.read.selectFrom('chat_messages').select('id').execute()).toEqual([])
  })

  describe('are refused', () => {
    const text = (words: string) => inline('a.txt', 'text/plain', words)
    const data = '`messages[0].content[0].file.file_data`'
    test.each<[string, object, number, string]>([
      [
        'of an unknown format',
        inline('a.exe', 'application/x-msdownload', 'MZ'),
        400,
        `${data} must be a file of one of`,
      ],
      [
        'damaged',
        inline('a.pdf', 'application/pdf', 'no PDF'),
        400,
        `${data} cannot be read: it is damaged`,
      ],
      ['without text', text(' '), 400, `${data} cannot be read: it has no text`],
      [
        'with too much text',
        text('word '.repeat(100)),
        400,
        `${data} cannot be read: it has more than 200 characters`,
      ],
      ['too large', text('x'.repeat(2000)), 413, `${data} is larger than 1000 bytes`],
      [
        'without content',
        { type: 'file', file: {} },
        400,
        '`messages[0].content[0].file` must have one of',
      ],
      [
        'with two contents',
        { type: 'file', file: { ...note.file, file_url: 'https://a.example/' } },
        400,
        '`messages[0].content[0].file` must have one of',
      ],
      [
        'at another scheme',
        { type: 'file', file: { file_url: 'file:///etc/passwd' } },
        400,
        '`messages[0].content[0].file.file_url` must be',
      ],
    ])('%s', async (_, part, status, error) => {
      const environment = { MAX_CHAT_FILE_BYTES: '1000', MAX_CHAT_FILE_TEXT: '200' }
      const chat = await open({ environment })
      const response = await chat.say('', asking('?', part))
      const body = (await response.json()) as { error: string }
      expect([response.status, body.error]).toEqual([status, expect.stringContaining(error)])
      expect(chat.model.requests).toEqual([])
      expect(await chat.ctx.db.read.selectFrom('chat_sessions').select('id').execute()).toEqual([])
    })

    test('with too much text together', async () => {
      const environment = { MAX_CHAT_FILES_TOTAL_TEXT: '200' }
      const chat = await open({ environment })
      const words = text('word '.repeat(20))
      expect((await chat.say('', asking('?', words))).status).toBe(200)
      const response = await chat.say('', asking('?', words, words))
      const error =
        '`messages[0].content[1].file.file_data` cannot be read: it and the files before it have more than 200 characters of text and headings'
      expect([response.status, await response.json()]).toEqual([400, { error }])
    })

    test('beyond MAX_CHAT_FILES', async () => {
      const chat = await open({ environment: { MAX_CHAT_FILES: '1' } })
      const response = await chat.say('', asking('?', note, note))
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: 'A request must have at most 1 files' },
      ])
    })

    test('in a message that is not a user’s', async () => {
      const chat = await open()
      const messages = [
        { role: 'assistant', content: [note] },
        { role: 'user', content: '?' },
      ]
      const response = await chat.say('', { messages })
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          error: '`messages[0].content[0].file.file_data` must be in a message of the role user',
        },
      ])
    })

    test('for the model without a key, which reads only knowledge', async () => {
      const chat = await open({ environment: { DEFAULT_MODEL: 'local/extractive' } })
      const { key, app_name_id: model } = await chat.makeAgent({ model: 'local/extractive' })
      const headers = { authorization: `Bearer ${key}` }
      const response = await chat.post({ model, ...asking('?', note) }, headers)
      const at = expect.stringMatching(
        /^`messages\[0\]\.content\[\d\]\.file\.file_data` is not supported/,
      )
      expect([response.status, await response.json()]).toEqual([400, { error: at }])
    })
  })
})
