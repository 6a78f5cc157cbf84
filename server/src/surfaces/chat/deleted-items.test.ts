import { expect, test } from 'vitest'
import { getAppAnalytics, rollUp } from '#features/analytics/index.ts'
import {
  indexConversations,
  listConversations,
  reindexConversation,
} from '#features/conversations/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeChat } from '#test/support/chat-service.ts'
import { bodyOf, responsesOf } from '#test/support/open-responses.ts'

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
