import { expect, test } from 'vitest'
import { deleteOutdated, rollUp } from '#features/analytics/index.ts'
import { updateAgent } from '#features/agents/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'

describeChat('the limit of stored messages', (open) => {
  test.each([
    ['messages_per_workspace', 'stored messages'],
    ['message_bytes_per_workspace', 'bytes of messages'],
  ])('%s refuses turns that would be stored, until messages are deleted', async (limit, things) => {
    const service = await open({ environment: { LIMITS: `${limit}=4` } })
    const { say, post, agent, ctx, owner, advance } = service
    const responses = responsesOf(service)
    expect((await say('Hello there')).status).toBe(200)
    expect((await say('Hello again')).status).toBe(200)
    advance(10 * 60_000)
    await rollUp(ctx)
    const refused = await say('One more')
    expect(refused.status).toBe(403)
    expect(await refused.json()).toEqual({
      error: `The workspace of this agent has reached its limit of 4 ${things} (${limit}). Delete conversations or set retention_days for its agents, or ask the operator to raise the limit`,
    })
    const request = { model: agent.app_name_id, input: 'One more', background: true }
    for (const [path, body] of [
      ['/responses', request],
      ['/conversations', {}],
    ] as const)
      expect(await responses.refused(await responses.call('POST', path, body), 403)).toMatchObject({
        code: 'limit_reached',
      })
    expect(await ctx.db.read.selectFrom('chat_sessions').select('id').execute()).toHaveLength(2)
    const messages = [{ role: 'user', content: 'Not stored' }]
    const unstored = await post({ model: agent.app_name_id, messages, store: false })
    expect(unstored.status).toBe(200)
    await updateAgent(ctx, owner, agent.id, { retention_days: 1 }, { expectedVersion: 1 })
    advance(2 * dayMs)
    await deleteOutdated(ctx)
    expect((await say('One more')).status).toBe(200)
  })

  test('messages_per_conversation refuses what would make a conversation longer', async () => {
    const environment = { LIMITS: 'messages_per_conversation=4' }
    const service = await open({ model: { reply: 'ok' }, environment })
    const { call, refused } = responsesOf(service)
    const items = (count: number) =>
      Array.from({ length: count }, () => ({ type: 'message', role: 'user', content: 'Item' }))
    const created = await call('POST', '/conversations', { items: items(2) })
    const { id } = (await created.json()) as { id: string }
    const add = (count: number) =>
      call('POST', `/conversations/${id}/items`, { items: items(count) })
    const message =
      'This conversation has reached its limit of 4 messages (messages_per_conversation). Begin another one, or ask the operator to raise the limit'
    expect(await refused(await add(3), 403)).toMatchObject({ code: 'limit_reached', message })
    expect((await add(1)).status).toBe(200)
    // A question and its answer would be two more.
    const request = { model: service.agent.app_name_id, input: 'Hi', conversation: id }
    expect(await refused(await call('POST', '/responses', request), 403)).toMatchObject({ message })
    expect(
      await refused(await call('POST', '/conversations', { items: items(5) }), 403),
    ).toMatchObject({
      message,
    })
    const messages = items(4).map(({ role, content }) => ({ role, content }))
    const long = await service.post({ model: service.agent.app_name_id, messages })
    expect([long.status, await long.json()]).toEqual([403, { error: message }])
  })

  test('counts what a branch copies of the session before it', async () => {
    const long = 'x'.repeat(1_000)
    const environment = { LIMITS: 'message_bytes_per_workspace=5000' }
    const service = await open({ model: { reply: 'ok' }, environment })
    const { create, post, refused } = responsesOf(service)
    const { ctx, advance } = service
    const first = await create({ input: long })
    const branch = (input: string) => ({ input, previous_response_id: first.id })
    // The first of them goes on in the session; each of the others copies its beginning.
    for (const input of ['one', 'two', 'three', 'four', 'five', 'six']) {
      const response = await post(branch(input))
      expect(response.status).toBe(200)
    }
    advance(10 * 60_000)
    await rollUp(ctx)
    const usage = ctx.db.read.selectFrom('workspace_usage').select('message_bytes')
    const { message_bytes: bytes } = await usage.executeTakeFirstOrThrow()
    expect(Number(bytes)).toBeGreaterThan(6 * long.length)
    expect(await refused(await post(branch('seven')), 403)).toMatchObject({ code: 'limit_reached' })
  })
})
