import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { bodyOf, expectOfficial, responsesOf } from '#test/support/chat/open-responses.ts'

interface Compacted {
  readonly output: readonly { readonly type: string; readonly encrypted_content?: string }[]
}

describeChat('a compacted conversation', (open) => {
  test('is its messages of users and a sealed summary, which the next response continues', async () => {
    const service = await open({
      model: { script: (_, n) => ({ reply: ['ok', 'Ada likes tea.', 'Tea.'][n] ?? '' }) },
    })
    const { call, create } = responsesOf(service)
    const model = service.agent.app_name_id
    const first = await create({ input: 'I am Ada and like tea.' })
    const request = expectOfficial('CompactResponseMethodPublicBody', {
      model,
      previous_response_id: first.id,
    })
    const compacted = await bodyOf<Compacted>(
      await call('POST', '/responses/compact', request),
      200,
    )
    expectOfficial('CompactResource', compacted)
    expect(compacted.output).toMatchObject([
      { type: 'message', role: 'user', content: [{ text: 'I am Ada and like tea.' }] },
      { type: 'compaction', encrypted_content: expect.not.stringContaining('Ada') },
    ])
    expect(service.model.requests[1]?.body.messages).toMatchObject([
      { role: 'user', content: 'I am Ada and like tea.' },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: expect.stringMatching(/^Summarize/) },
    ])
    const asked = { type: 'message', role: 'user', content: 'What do I like?' }
    await create({ input: [...compacted.output, asked] })
    expect(service.model.requests[2]?.body.messages).toMatchObject([
      { role: 'user', content: 'I am Ada and like tea.' },
      { role: 'assistant', content: expect.stringContaining('Ada likes tea.') },
      { role: 'user', content: 'What do I like?' },
    ])
    // Only the first response and the last are stored.
    const sessions = await service.ctx.db.read.selectFrom('chat_sessions').selectAll().execute()
    expect(sessions).toHaveLength(2)
  })

  test('can be read by its own agent only', async () => {
    const service = await open({ model: { reply: 'short' } })
    const { call } = responsesOf(service)
    const model = service.agent.app_name_id
    const compacted = await bodyOf<Compacted>(
      await call('POST', '/responses/compact', { model, input: 'a long story' }),
      200,
    )
    const other = await service.makeAgent({ name: 'Other' })
    const stranger = responsesOf({ ...service, agent: other, key: other.key })
    const stolen = await stranger.post({ input: compacted.output })
    expect(await stranger.refused(stolen, 400)).toMatchObject({
      param: 'input[1].encrypted_content',
    })
  })

  test('is never summarized by the built-in model, and never cut off', async () => {
    const service = await open({
      model: {
        script: (_, n) =>
          n === 0 ? { reply: '', status: 429 } : { reply: 'Ada li', finishReason: 'length' },
      },
    })
    const { ctx, owner, agent } = service
    const change = { fallback_models: ['local/extractive'] }
    await updateAgent(ctx, owner, agent.id, change, { expectedVersion: 1 })
    const { call, refused } = responsesOf(service)
    const compact = () =>
      call('POST', '/responses/compact', { model: agent.app_name_id, input: 'a long story' })
    expect(await refused(await compact(), 429)).toMatchObject({ code: 'model_limited' })
    expect(await refused(await compact(), 502)).toMatchObject({ code: 'summary_cut_off' })
  })

  test('needs something to summarize, and a model that can', async () => {
    const service = await open()
    const { call, refused } = responsesOf(service)
    const model = service.agent.app_name_id
    const empty = await call('POST', '/responses/compact', { model })
    expect(await refused(empty, 400)).toMatchObject({ code: 'nothing_to_compact', param: 'input' })
    const unknown = await call('POST', '/responses/compact', { model, input: 'x', tools: [] })
    expect(await refused(unknown, 400)).toMatchObject({ param: 'tools' })
    const builtIn = await service.makeAgent({ model: 'local/extractive' })
    const its = responsesOf({ ...service, agent: builtIn, key: builtIn.key })
    const body = { model: builtIn.app_name_id, input: 'x' }
    const answer = await its.call('POST', '/responses/compact', body)
    expect(await its.refused(answer, 400)).toMatchObject({ code: 'compaction_not_supported' })
    expect(service.model.requests).toEqual([])
  })
})
