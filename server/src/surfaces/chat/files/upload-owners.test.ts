import { expect, test } from 'vitest'
import { runResponse } from '#features/responses/index.ts'
import { eraseEndUser } from '#features/analytics/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { bodyOf as jsonOf, responsesOf } from '#test/support/chat/open-responses.ts'
import { actorOf } from '#test/support/test-instance.ts'
import {
  askingAbout as asking,
  filesOf,
  noUploads,
  storedUploads,
} from '#test/support/knowledge/uploads.ts'

const erase = ({ ctx, owner, agent }: ChatService, endUser: string) =>
  eraseEndUser(ctx, actorOf(owner), owner.workspaceId, { appId: agent.id, endUser })

const part = (file_id: string) => [
  { type: 'message', role: 'user', content: [{ type: 'input_file', file_id }] },
]

describeChat('erasing an end user', (open) => {
  test('deletes the files that were used for this person alone', async () => {
    const chat = await open()
    const { call, made } = filesOf(chat)
    const [own, shared, unused, anonymous] = [
      await made('own'),
      await made('shared'),
      await made('unused'),
      await made('anonymous'),
    ]
    const { chatSessionId } = await answerOf(chat.say('', { ...asking(own.id), user: 'ada' }))
    // The session has its end user, although this request names none.
    await answerOf(chat.say('', { ...asking(own.id), chatSessionId }))
    for (const user of ['ada', 'bob'])
      await answerOf(chat.say('', { ...asking(shared.id), user, store: false }))
    await answerOf(chat.say('', asking(anonymous.id)))
    await answerOf(chat.say('', { ...asking(anonymous.id), user: 'ada' }))
    expect(await erase(chat, 'ada')).toMatchObject({ uploaded_files: 1 })
    expect((await call(`/${own.id}`)).status).toBe(404)
    for (const { id } of [shared, unused, anonymous])
      expect((await call(`/${id}`)).status).toBe(200)
    const left = chat.ctx.db.read.selectFrom('uploaded_files').select('end_user').execute()
    expect((await left).map(({ end_user: name }) => name)).toEqual([null, null, null])
  })

  test('does not concern files of requests that are not stored: their use leaves no trace', async () => {
    const chat = await open()
    const { made } = filesOf(chat)
    const { create } = responsesOf(chat)
    const { id } = await made('x')
    const rows = () => chat.ctx.db.read.selectFrom('uploaded_files').selectAll().execute()
    await chat.ctx.db.write((tx) =>
      tx
        .updateTable('uploaded_files')
        .set({ expires_at: chat.ctx.clock.now() + 60_000 })
        .execute(),
    )
    const before = await rows()
    const unstored = { user: 'ada', store: false }
    await answerOf(chat.say('', { ...asking(id), ...unstored }))
    await create({ input: part(id), ...unstored })
    expect(await rows()).toEqual(before)
    expect(chat.model.requests).toHaveLength(2)
    await answerOf(chat.say('', { ...asking(id), user: 'ada' }))
    expect(await rows()).toMatchObject([{ end_user: 'ada', owner: 'one' }])
    expect(await rows()).not.toMatchObject([{ expires_at: before[0]?.expires_at }])
  })

  test('deletes the files whose upload names the person, whoever uses them', async () => {
    const chat = await open()
    const { made } = filesOf(chat)
    const fields = { purpose: 'user_data', user: 'ada' }
    const used = await made('My life', 'cv.md', fields)
    await made('Unused', 'b.md', fields)
    await answerOf(chat.say('', { ...asking(used.id), user: 'bob' }))
    await erase(chat, 'bob')
    expect((await storedUploads(chat)).files).toHaveLength(2)
    expect(await erase(chat, 'ada')).toMatchObject({ uploaded_files: 2 })
    expect(await storedUploads(chat)).toEqual(noUploads)
  })

  test('leaves files of the same name at another agent', async () => {
    const chat = await open()
    const other = await chat.makeAgent({})
    const fields = { purpose: 'user_data', user: 'ada' }
    await filesOf(chat, other.key).made('x', 'a.md', fields)
    expect(await erase(chat, 'ada')).toMatchObject({ uploaded_files: 0 })
    expect((await storedUploads(chat)).files).toHaveLength(1)
  })

  test('finds files of responses, background responses and items of conversations', async () => {
    const chat = await open()
    const { made } = filesOf(chat)
    const { create, call } = responsesOf(chat)
    const [first, second, third] = [await made('1'), await made('2'), await made('3')]
    const { id, conversation } = await create({ input: part(first.id), safety_identifier: 'ada' })
    const asked = { previous_response_id: id, background: true }
    await create({ input: part(second.id), ...asked })
    await createJobRunner(chat.ctx, chat.ctx.jobs as JobQueue, [runResponse]).runDue() // As compose.ts creates it.
    const path = `/conversations/${conversation?.id}/items`
    await jsonOf(await call('POST', path, { items: part(third.id) }), 200)
    expect(await erase(chat, 'ada')).toMatchObject({ uploaded_files: 3, conversations: 1 })
  })

  test('finds a conversation that began without an end user', async () => {
    const chat = await open()
    const { create, call } = responsesOf(chat)
    const made = await jsonOf<{ id: string }>(await call('POST', '/conversations', {}), 200)
    const conversation = made.id
    await create({ input: 'I am Ada', conversation })
    await create({ input: 'And I like tea', conversation, safety_identifier: 'ada' })
    // The first person who is named stays.
    await create({ input: 'Hm', conversation, safety_identifier: 'bob' })
    expect(await erase(chat, 'bob')).toMatchObject({ conversations: 0 })
    expect(await erase(chat, 'ada')).toMatchObject({ conversations: 1, messages: 6 })
  })
})
