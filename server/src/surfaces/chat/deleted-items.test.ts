import { expect, test } from 'vitest'
import { getAppAnalytics, rollUp } from '#features/analytics/index.ts'
import { runResponse } from '#features/responses/index.ts'
import { describeChat } from '#test/support/chat-service.ts'
import { bodyOf, responsesOf } from '#test/support/open-responses.ts'

interface Page {
  readonly data: readonly { readonly id: string }[]
}
interface Conversation {
  readonly id: string
}

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
    const signal = new AbortController().signal
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
})
