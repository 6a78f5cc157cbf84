import { expect, test } from 'vitest'
import { expireUploads } from '#features/files/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import {
  askingAbout as asking,
  filesOf,
  noUploads as none,
  storedUploads as rows,
} from '#test/support/knowledge/uploads.ts'

const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }

describeChat('uploaded files expire', (open) => {
  const expire = (chat: ChatService) => expireUploads.run(chat.ctx, {}, run)

  test('after some days without use, and are then deleted', async () => {
    const chat = await open({ environment: { UPLOADED_FILE_DAYS: '10' } })
    const { call, made } = filesOf(chat)
    const used = await made('The door is green.')
    const unused = await made('x')
    chat.advance(9 * dayMs)
    expect((await chat.say('', asking(used.id))).status).toBe(200)
    chat.advance(2 * dayMs)
    expect((await call(`/${unused.id}`)).status).toBe(404)
    expect((await chat.say('', asking(unused.id))).status).toBe(400)
    expect((await call(`/${used.id}`)).status).toBe(200)
    await expire(chat)
    expect((await rows(chat)).files).toHaveLength(1)
    chat.advance(20 * dayMs)
    await expire(chat)
    expect(await rows(chat)).toEqual(none)
  })

  test('when their caller says, even if they are used', async () => {
    const chat = await open({ environment: { UPLOADED_FILE_DAYS: '10' } })
    const { call, made } = filesOf(chat)
    const about = (seconds: number) => ({
      purpose: 'user_data',
      'expires_after[anchor]': 'created_at',
      'expires_after[seconds]': String(seconds),
    })
    const short = await made('x', 'a.txt', about(7200))
    const long = await made('x', 'a.txt', about(2_592_000))
    const created = Math.floor(chat.ctx.clock.now() / 1000)
    expect([short, long]).toMatchObject([
      { expires_at: created + 7200 },
      { expires_at: created + 10 * 86_400 },
    ])
    chat.advance(3_600_000)
    expect((await chat.say('', asking(short.id))).status).toBe(200)
    chat.advance(3_600_001)
    expect((await call(`/${short.id}`)).status).toBe(404)
  })

  test('when they never arrived completely', async () => {
    const chat = await open()
    const { id } = await filesOf(chat).made('x')
    await chat.ctx.db.write((tx) =>
      tx.updateTable('uploaded_files').set({ purpose: null, expires_at: 1 }).execute(),
    )
    expect((await filesOf(chat).call(`/${id}`)).status).toBe(404)
    await expire(chat)
    expect(await rows(chat)).toEqual(none)
  })
})
