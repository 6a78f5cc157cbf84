import { expect, test } from 'vitest'
import { compareAll, getAppAnalytics, rateAnswer, rollUp } from '#features/analytics/index.ts'
import {
  indexConversations,
  listConversations,
  reindexConversation,
} from '#features/conversations/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import {
  addAction,
  cityParameter,
  openWithToolCalls,
} from '#test/support/chat/agent-with-actions.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { bodyOf, responsesOf, sessionOf } from '#test/support/chat/open-responses.ts'

interface Page {
  readonly data: readonly { readonly id: string }[]
}
interface Conversation {
  readonly id: string
}

const { signal } = new AbortController()
const message = (content: string) => ({ type: 'message', role: 'user', content })

describeChat('deleted items', (open) => {
  test('a deleted question leaves the frequent questions once, and the bytes that count', async () => {
    const { ctx, owner, agent, advance, ...service } = await open()
    const { call } = responsesOf({ ...service, agent })
    const items = ['hello', 'my secret'].map(message)
    const ids: string[] = []
    for (let n = 0; n < 2; n += 1)
      ids.push(
        (await bodyOf<Conversation>(await call('POST', '/conversations', { items }), 200)).id,
      )
    advance(10 * 60_000)
    await rollUp(ctx)
    const asked = async () => {
      const query = { appId: agent.id }
      const { topQuestions } = await getAppAnalytics(ctx, owner.workspaceId, query)
      const usage = ctx.db.read.selectFrom('workspace_usage').select('message_bytes')
      const { message_bytes: bytes } = await usage.executeTakeFirstOrThrow()
      return { topQuestions, bytes: Number(bytes) }
    }
    const question = 'my secret'
    expect(await asked()).toEqual({ topQuestions: [{ question, conversations: 2 }], bytes: 28 })
    const path = `/conversations/${ids[0]}`
    const { data } = await bodyOf<Page>(await call('GET', `${path}/items?order=desc`), 200)
    await bodyOf(await call('DELETE', `${path}/items/${data[0]?.id}`), 200)
    const once = { topQuestions: [{ question, conversations: 1 }], bytes: 19 }
    expect(await asked()).toEqual(once)
    await bodyOf(await call('DELETE', path), 200)
    expect(await asked()).toEqual({ ...once, bytes: 14 })
  })

  test('a deleted answer of a background response leaves no streamed text', async () => {
    const service = await open({ model: { reply: 'my secret' } })
    const { call, create, get } = responsesOf(service)
    const { id, conversation } = await create({ input: 'hello', background: true })
    const { ctx } = service
    const row = await ctx.db.read.selectFrom('chat_responses').select('id').executeTakeFirst()
    const run = { id: 'x', attempt: 1, isLast: false, signal }
    await runResponse.run(ctx, { responseId: row?.id ?? '' }, run)
    const { output } = await get(id)
    await bodyOf(
      await call('DELETE', `/conversations/${conversation?.id}/items/${output[0]?.id}`),
      200,
    )
    expect(await ctx.db.read.selectFrom('response_texts').selectAll().execute()).toEqual([])
    expect(JSON.stringify(await get(id))).not.toContain('secret')
  })

  test('a deleted answer leaves neither what its actions exchanged nor the words of a rating', async () => {
    const api = await startActionServer(json({ secret: 'received' }))
    const chat = await openWithToolCalls(open, [
      [{ name: 'get_weather', arguments: { city: 'secretly sent' } }],
    ])
    await addAction(chat, { url: api.origin, parameters: [cityParameter] })
    const { ctx, owner, advance } = chat
    const { call, create } = responsesOf(chat)
    const { conversation, output } = await create({ input: 'hello' })
    const session_id = sessionOf(conversation?.id)
    await rateAnswer(
      ctx,
      { workspaceId: owner.workspaceId },
      {
        sessionId: session_id,
        messageId: null,
        rating: 'down',
        comment: 'secretly said',
      },
    )
    advance(10 * 60_000)
    await rollUp(ctx)
    const bytes = async () => {
      const usage = ctx.db.read.selectFrom('workspace_usage').select('message_bytes')
      return Number((await usage.executeTakeFirstOrThrow()).message_bytes)
    }
    const shown = async () => {
      const get = findOperation('get_conversation')!
      return JSON.stringify(await runOperation(ctx, actorOf(owner), get, { session_id }))
    }
    for (const word of ['received', 'secretly sent', 'secretly said'])
      expect(await shown()).toContain(word)
    const before = await bytes()
    const path = `/conversations/${conversation?.id}/items/${output[0]?.id}`
    await bodyOf(await call('DELETE', path), 200)
    expect(await shown()).not.toMatch(/received|secretly/)
    expect(await shown()).toContain('"rating":"down"')
    const { read } = ctx.db
    expect(await read.selectFrom('action_calls').select('id').execute()).toEqual([])
    const left = await bytes()
    expect(left).toBeLessThan(before - 'secretly sent'.length - 'received'.length)
    await compareAll(ctx)
    expect(await bytes()).toBe(left)
  })

  test('neither a deleted answer nor one that failed can be named by its id', async () => {
    const script = (_: unknown, n: number) =>
      n === 1 ? { reply: '', status: 500 } : { reply: 'ok' }
    const service = await open({ model: { script } })
    const { call, create, post, refused } = responsesOf(service)
    const { conversation, output } = await create({ input: 'one' })
    const [item] = output
    const name = (id?: string, more = {}) =>
      post({ input: [{ type: 'item_reference', id }], ...more })
    const path = `/conversations/${conversation?.id}/items`
    await post({ input: 'two', conversation: conversation?.id })
    await bodyOf(await call('DELETE', `${path}/${item?.id}`), 200)
    const { id: failed } = await service.ctx.db.read
      .selectFrom('chat_messages')
      .select('id')
      .where('error_code', 'is not', null)
      .executeTakeFirstOrThrow()
    for (const id of [item?.id, `msg_${failed.replaceAll('-', '')}`])
      for (const more of [{}, { conversation: conversation?.id }])
        expect(await refused(await name(id, more), 400)).toMatchObject({ param: 'input[0].id' })
  })

  test('a search no longer finds the words of a deleted item, and still finds the others', async () => {
    const { ctx, owner, agent, advance, ...service } = await open()
    const { call } = responsesOf({ ...service, agent })
    const items = ['kept words', 'my secret', 'more of it'].map(message)
    const { id } = await bodyOf<Conversation>(await call('POST', '/conversations', { items }), 200)
    advance(10 * 60_000)
    await indexConversations.run(ctx, {}, { id: 'x', attempt: 1, isLast: false, signal })
    const found = async (query: string) => {
      const of = { limit: 9, query }
      return (await listConversations(ctx, owner.workspaceId, agent.id, of)).items.length
    }
    expect([await found('secret'), await found('kept')]).toEqual([1, 1])
    const path = `/conversations/${id}/items`
    const { data } = await bodyOf<Page>(await call('GET', `${path}?order=asc`), 200)
    await bodyOf(await call('DELETE', `${path}/${data[1]?.id}`), 200)
    expect(await found('secret')).toBe(0)
    // A job as compose.ts runs it.
    await createJobRunner(ctx, ctx.jobs as JobQueue, [reindexConversation]).runDue()
    expect([await found('secret'), await found('kept')]).toEqual([0, 1])
    await bodyOf(await call('DELETE', `/conversations/${id}`), 200)
    expect(await found('kept')).toBe(0)
  })
})
