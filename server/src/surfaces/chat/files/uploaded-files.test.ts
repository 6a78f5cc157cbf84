import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import {
  askingAbout as asking,
  bodyOf,
  filesOf,
  noUploads as none,
  storedUploads as rows,
} from '#test/support/knowledge/uploads.ts'
import { chatSurface } from '#surfaces/chat/index.ts'

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

/** A request to the Responses API with these parts. */
const respond = (chat: ChatService, parts: readonly object[], key = chat.key, model?: string) =>
  chat.app.request('/api/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: model ?? chat.agent.app_name_id,
      input: [{ role: 'user', content: [...parts, { type: 'input_text', text: 'Which?' }] }],
    }),
  })

const sent = ({ model }: ChatService) => JSON.stringify(model.requests.at(-1)?.body)

describeChat('uploaded files', (open) => {
  test('are found, downloaded and deleted by their id', async () => {
    const chat = await open()
    const { call, upload } = filesOf(chat)
    const text = 'The door is green.'.repeat(30_000)
    const response = await upload(text)
    expect(response.status).toBe(200)
    const file = await bodyOf(response)
    const created = Math.floor(chat.ctx.clock.now() / 1000)
    expect(file).toEqual({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: 'file',
      bytes: text.length,
      created_at: created,
      expires_at: created + 30 * 86_400,
      filename: 'note.md',
      purpose: 'user_data',
      status: 'processed',
    })
    expect(await bodyOf(await call(`/${file.id}`))).toEqual(file)
    expect(await (await call(`/${file.id}/content`)).text()).toBe(text)
    const gone = await call(`/${file.id}`, { method: 'DELETE' })
    expect(await gone.json()).toEqual({ id: file.id, object: 'file', deleted: true })
    for (const path of [`/${file.id}`, `/${file.id}/content`])
      expect((await call(path)).status).toBe(404)
    expect((await call(`/${file.id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await rows(chat)).toEqual(none)
  })

  test('are downloads that no browser runs, whatever they are and are called', async () => {
    const { call, upload } = filesOf(await open())
    const { id, filename } = await bodyOf(await upload('<script>', '../../x"\r\n<b>.html'))
    expect(filename).not.toMatch(/[/\\\r\n]/)
    const { headers } = await call(`/${id}/content`)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''[\w.%-]+$/)
  })

  test('are listed in pages, the newest first, by purpose', async () => {
    const { made, listed } = filesOf(await open())
    const ids: string[] = []
    for (const purpose of ['user_data', 'vision', 'user_data'])
      ids.push((await made('x', 'a.txt', { purpose })).id)
    const [first, second, third] = ids
    const of = async (query: string) => {
      const { data, has_more } = await listed(query)
      return [data.map(({ id }) => id), has_more]
    }
    expect(await of('')).toEqual([[third, second, first], false])
    expect(await of('?limit=2')).toEqual([[third, second], true])
    expect(await of(`?limit=2&after=${second}`)).toEqual([[first], false])
    expect(await of(`?order=asc&after=${first}`)).toEqual([[second, third], false])
    expect(await of('?purpose=user_data')).toEqual([[third, first], false])
  })

  test.each(['?limit=0', '?limit=10001', '?limit=x', '?order=up', '?after=file-x'])(
    'a list of them with %s is refused',
    async (query) => {
      const response = await filesOf(await open()).call(query)
      expect(response.status).toBe(400)
      expect((await bodyOf(response)).error.param).toMatch(/^(limit|order|after)$/)
    },
  )

  test('of another agent are unknown', async () => {
    const chat = await open()
    const { id } = await filesOf(chat).made('The door is green.')
    const sibling = await chat.makeAgent()
    const stranger = await chat.makeAgent({ owner: await chat.person() })
    for (const { key, app_name_id: model } of [sibling, stranger]) {
      const { call, listed } = filesOf(chat, key)
      expect((await listed('')).data).toEqual([])
      for (const path of [`/${id}`, `/${id}/content`]) expect((await call(path)).status).toBe(404)
      expect((await call(`/${id}`, { method: 'DELETE' })).status).toBe(404)
      const said = await chat.post({ model, ...asking(id) }, { authorization: `Bearer ${key}` })
      const error = '`messages[0].content[0].file.file_id` is not the id of a file of this agent'
      expect([said.status, await said.json()]).toEqual([400, { error }])
      for (const type of ['input_file', 'input_image']) {
        const response = await respond(chat, [{ type, file_id: id }], key, model)
        expect(response.status).toBe(400)
      }
    }
    expect((await filesOf(chat).call(`/${id}`)).status).toBe(200)
    expect(chat.model.requests).toEqual([])
  })

  test('need a key', async () => {
    const chat = await open()
    const { id } = await filesOf(chat).made('x')
    for (const path of ['', `/${id}`, `/${id}/content`]) {
      const response = await filesOf(chat, 'svc_ck_wrong').call(path)
      expect([response.status, (await bodyOf(response)).error]).toMatchObject([
        401,
        { code: 'invalid_api_key' },
      ])
    }
    expect((await filesOf(chat, 'svc_ck_wrong').upload('x')).status).toBe(401)
  })

  describe('in requests', () => {
    test('are quoted to the model, and stay with the session when they are deleted', async () => {
      const chat = await open()
      const { call, made } = filesOf(chat)
      const { id } = await made('The door is green.')
      const { chatSessionId } = await answerOf(chat.say('', asking(id)))
      expect(sent(chat)).toContain('note.md')
      expect(sent(chat)).toContain('The door is green.')
      await call(`/${id}`, { method: 'DELETE' })
      await chat.say('Sure?', { chatSessionId })
      expect(sent(chat)).toContain('The door is green.')
      expect((await chat.say('', asking(id))).status).toBe(400)
    })

    test('are `input_file` in the Responses API, whichever process gets the request', async () => {
      const chat = await open()
      const { id } = await filesOf(chat).made('The door is green.')
      const { ctx } = await chat.again()
      const app = new Hono().route('/api/v1', chatSurface(ctx))
      const part = { type: 'input_file', file_id: id }
      expect((await respond({ ...chat, app }, [part])).status).toBe(200)
      expect(sent(chat)).toContain('The door is green.')
    })

    test('that are images reach a model that sees', async () => {
      const chat = await open()
      const { key, app_name_id: model } = await chat.makeAgent({ model: 'openai/gpt-4o' })
      const { id } = await filesOf(chat, key).made(png, 'a.html', { purpose: 'vision' })
      const part = { type: 'input_image', file_id: id, detail: 'auto' }
      expect((await respond(chat, [part], key, model)).status).toBe(200)
      const url = `data:image/png;base64,${png.toString('base64')}`
      expect(sent(chat)).toContain(JSON.stringify({ type: 'image_url', image_url: { url } }))
    })

    test('that are images are refused for a model that does not see', async () => {
      const chat = await open()
      const { id } = await filesOf(chat).made(png, 'a.png')
      const response = await respond(chat, [{ type: 'input_image', file_id: id }])
      expect((await bodyOf(response)).error).toMatchObject({
        message: expect.stringContaining('cannot read images'),
        param: 'input[0].content[0].file_id',
      })
      const url = { type: 'input_image', image_url: 'https://example.com/a.png' }
      const place = 'input[0].content[0].image_url'
      expect((await bodyOf(await respond(chat, [url]))).error.param).toBe(place)
    })

    test.each([
      ['no image', 'The door is green.', 400, 'must be a PNG, JPEG, GIF or WebP image'],
      ['too large for an image', Buffer.concat([png, Buffer.alloc(2000)]), 413, 'larger than 2000'],
    ])('that are %s are refused as images', async (_, content, status, problem) => {
      const chat = await open({ environment: { MAX_BODY_BYTES: '2000' } })
      const { key, app_name_id: model } = await chat.makeAgent({ model: 'openai/gpt-4o' })
      const { id } = await filesOf(chat, key).made(content, 'a.png', { purpose: 'vision' })
      const response = await respond(chat, [{ type: 'input_image', file_id: id }], key, model)
      expect(response.status).toBe(status)
      expect((await bodyOf(response)).error).toMatchObject({
        message: expect.stringContaining(problem),
        param: 'input[0].content[0].file_id',
      })
    })

    test('are read like other files: what is no document is refused', async () => {
      const chat = await open()
      for (const name of ['a.pdf', 'a.docx', 'a.exe']) {
        const { id } = await filesOf(chat).made('MZ', name)
        const response = await chat.say('', asking(id))
        expect(response.status).toBe(400)
        expect((await answerOf(response)).error).toMatch(
          /^`messages\[0\].content\[0\].file.file_id`/,
        )
      }
    })

    test.each([
      { file_id: 'file-1', file_data: 'eA==' },
      { file_id: 'file-1', file_url: 'https://a.example/' },
    ])('%o has one content too many', async (file) => {
      const messages = [{ role: 'user', content: [{ type: 'file', file }] }]
      const response = await (await open()).say('', { messages })
      expect((await answerOf(response)).error).toBe(
        '`messages[0].content[0].file` must have one of file_data, file_url and file_id',
      )
    })
  })
})
