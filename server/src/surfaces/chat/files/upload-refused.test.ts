import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'

const boundary = 'x-boundary'
const type = `multipart/form-data; boundary=${boundary}`

const part = (headers: string, content: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`
const field = (name: string, value: string) => part(`name="${name}"`, value)
const file = (content: string, name = 'a.txt') => part(`name="file"; filename="${name}"`, content)
const purpose = field('purpose', 'user_data')
const end = `--${boundary}--\r\n`

async function send(chat: ChatService, body: string, contentType = type) {
  const response = await chat.app.request('/api/v1/files', {
    method: 'POST',
    headers: { authorization: `Bearer ${chat.key}`, 'content-type': contentType },
    body,
  })
  const { error } = (await response.json()) as { error?: { message: string } }
  return [response.status, error?.message] as const
}

async function expectNothing({ ctx }: ChatService) {
  for (const table of ['uploaded_files', 'uploaded_file_pieces'] as const)
    expect(await ctx.db.read.selectFrom(table).selectAll().execute()).toEqual([])
}

/** Sends the beginning of an upload over a socket, and what the caller writes after it. */
async function beginUpload(chat: ChatService, headers: Readonly<Record<string, string>> = {}) {
  const sending = request(`${await chat.listen()}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${chat.key}`, 'content-type': type, ...headers },
  })
  sending.on('error', () => {})
  sending.write(part('name="file"; filename="a.txt"', 'The beginning').slice(0, -2))
  return sending
}

const arriving = async ({ ctx }: ChatService) =>
  await ctx.db.read.selectFrom('uploaded_files').selectAll().execute()

describeChat('an upload is refused', (open) => {
  test.each<[string, string, string]>([
    ['without a file', purpose + end, '`file` is required and must be a file with a name'],
    ['with a text as its file', field('file', 'x') + purpose + end, '`file` is not a field'],
    [
      'with a file in another field',
      part('name="document"; filename="a.txt"', 'x') + purpose + end,
      'The file of the form must be its field `file`',
    ],
    ['with two files', file('x') + file('y') + purpose + end, 'The form has too many parts'],
    ['with an empty file', file('') + purpose + end, '`file` is empty'],
    ['with a file without a name', file('x', '') + purpose + end, 'The form has a file without'],
    ['without a purpose', file('x') + end, '`purpose` is required'],
    ['with a purpose of no use', file('x') + field('purpose', 'batch') + end, '`purpose` is'],
    ['with an unknown field', file('x') + purpose + field('a', 'b') + end, '`a` is not a field'],
    [
      'with a field twice',
      purpose + purpose + file('x') + end,
      'The form has the same field twice',
    ],
    ['with a long field', field('purpose', 'x'.repeat(2000)) + end, 'The form has a field longer'],
    [
      'with many fields',
      field('a', '').repeat(1) +
        Array.from({ length: 30 }, (_, n) => field(`b${n}`, '')).join('') +
        end,
      'The form has too many parts',
    ],
    ['that ends in its file', file('x'.repeat(1000)).slice(0, -10), 'The form '],
    ['that ends after its file', file('x'), 'The form '],
    ['that is no form', 'hello', 'The form '],
    ['that is empty', '', 'The form '],
    [
      'with half of an expiry',
      file('x') + purpose + field('expires_after[seconds]', '7200') + end,
      '`expires_after.anchor` must be created_at',
    ],
    [
      'with too short a lifetime',
      file('x') +
        purpose +
        field('expires_after[anchor]', 'created_at') +
        field('expires_after[seconds]', '10') +
        end,
      '`expires_after.seconds` must be from 3600 to 2592000',
    ],
  ])('%s', async (_, body, problem) => {
    const chat = await open()
    expect(await send(chat, body)).toEqual([400, expect.stringContaining(problem)])
    await expectNothing(chat)
  })

  test.each([
    ['application/json', 415, 'Content-Type must be multipart/form-data'],
    ['multipart/form-data', 400, 'The form has no boundary'],
  ])('as %s', async (contentType, ...refusal) => {
    const chat = await open()
    expect(await send(chat, file('x') + purpose + end, contentType)).toEqual(refusal)
  })

  test('beyond MAX_CHAT_FILE_BYTES, declared or not, over a socket', async () => {
    const chat = await open({ environment: { MAX_CHAT_FILE_BYTES: '300000' } })
    const declared = await beginUpload(chat, { 'content-length': '10000000' })
    const [refused] = await once(declared, 'response')
    expect(refused.statusCode).toBe(413)
    declared.destroy()
    const chunked = await beginUpload(chat)
    const answered = once(chunked, 'response')
    for (let n = 0; n < 10; n++) chunked.write('x'.repeat(100_000))
    const [{ statusCode }] = await answered
    expect(statusCode).toBe(413)
    chunked.destroy()
    await expectNothing(chat)
  })

  test('whose client disconnects, and leaves nothing', async () => {
    const chat = await open()
    const sending = await beginUpload(chat)
    sending.write('x'.repeat(600_000))
    await expect.poll(async () => (await arriving(chat)).length).toBe(1)
    sending.destroy()
    await expect.poll(async () => (await arriving(chat)).length, { timeout: 5_000 }).toBe(0)
    await expectNothing(chat)
  })

  test('beyond `files_per_agent`, which deleting a file frees', async () => {
    const chat = await open({ environment: { LIMITS: 'files_per_agent=2' } })
    const body = file('x') + purpose + end
    const sent = await Promise.all([1, 2, 3, 4].map(() => send(chat, body)))
    expect(sent.map(([status]) => status).toSorted()).toEqual([200, 200, 403, 403])
    const refusal =
      'This agent has reached its limit of 2 uploaded files (files_per_agent). Delete files, or ask the operator to raise the limit'
    expect(sent.find(([status]) => status === 403)?.[1]).toBe(refusal)
    const [row] = await arriving(chat)
    const id = `file-${row?.id.replaceAll('-', '')}`
    const headers = { authorization: `Bearer ${chat.key}` }
    await chat.app.request(`/api/v1/files/${id}`, { method: 'DELETE', headers })
    expect((await send(chat, body))[0]).toBe(200)
  })

  test('beyond the stored bytes of the workspace, which count while they arrive', async () => {
    const chat = await open({ environment: { LIMITS: 'storage_bytes_per_workspace=1000' } })
    const waiting = await beginUpload(chat, { 'content-length': '900' })
    await expect.poll(async () => (await arriving(chat)).length).toBe(1)
    const sent = async (size: number) => {
      const body = file('x'.repeat(size)) + purpose + end
      const response = await chat.app.request('/api/v1/files', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${chat.key}`,
          'content-type': type,
          'content-length': String(body.length),
        },
        body,
      })
      return response.status
    }
    expect(await sent(10)).toBe(403)
    waiting.destroy()
    await expect.poll(async () => (await arriving(chat)).length, { timeout: 5_000 }).toBe(0)
    expect(await sent(500)).toBe(200)
    expect(await sent(500)).toBe(403)
  })

  test('while CHAT_UPLOADS_AT_ONCE others arrive and as many may wait', async () => {
    const environment = { CHAT_UPLOADS_AT_ONCE: '1', IMPORTS_WAITING: '0' }
    const chat = await open({ environment })
    const waiting = await beginUpload(chat)
    await expect.poll(async () => (await arriving(chat)).length).toBe(1)
    const body = file('x') + purpose + end
    expect(await send(chat, body)).toEqual([429, 'Too many files are being read; try again later'])
    waiting.end(`x\r\n${purpose}${end}`)
    const [{ statusCode }] = await once(waiting, 'response')
    expect(statusCode).toBe(200)
    expect((await send(chat, body))[0]).toBe(200)
  })
})

describeChat('an upload with huge headers', (open) => {
  test('is read in little time, and its name is cut', async () => {
    const chat = await open()
    const name = 'a;b='.repeat(500_000)
    const started = performance.now()
    const [status] = await send(chat, file('x', name) + purpose + end)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect([200, 400]).toContain(status)
    for (const { filename } of await arriving(chat)) expect(filename.length).toBeLessThan(256)
  })
})
