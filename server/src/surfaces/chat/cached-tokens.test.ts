import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { setPrice } from '#features/credits/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { answerOf, describeChat, readFrames } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'
import { actorOf } from '#test/support/test-instance.ts'

const million = 1_000_000
const price = {
  promptMicrosPerMillion: 10 * million,
  completionMicrosPerMillion: 0,
  callMicros: 0,
}
const usage = { prompt: 9, completion: 5, cached: 4 }

describeChat('tokens from the cache of a provider', (open) => {
  test.each(['openai', 'anthropic', 'google'])('are reported and priced (%s)', async (provider) => {
    const chat = await open({ model: { script: () => ({ reply: 'Hello', usage }) } })
    const elsewhere = await open({
      environment: {
        [`${provider.toUpperCase()}_API_KEY`]: 'k',
        [`${provider.toUpperCase()}_BASE_URL`]:
          provider === 'openai' ? chat.model.baseUrl : chat.model.origin,
      },
    })
    const { ctx, owner, agent } = elsewhere
    await updateAgent(ctx, owner, agent.id, { model: `${provider}/some-model` })
    const set = (cachedMicrosPerMillion: number | null) =>
      setPrice(ctx, owner.userId, {
        pattern: `${provider}/*`,
        price: { ...price, cachedMicrosPerMillion },
      })
    await set(million)
    const counted = {
      prompt_tokens: 9,
      completion_tokens: 5,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 4 },
    }
    const answer = await answerOf(elsewhere.say('hello'))
    expect(answer).toMatchObject({ usage: counted })
    // Without a price of their own they cost what other prompt tokens cost.
    await set(null)
    const asked = { stream: true, stream_options: { include_usage: true } }
    const frames = await readFrames(await elsewhere.say('hello', asked))
    expect(frames.at(-2)).toMatchObject({ usage: counted })
    const run = (name: string, input: object) =>
      runOperation(ctx, actorOf(owner), findOperation(name)!, input)
    const entries = await run('list_credit_transactions', { workspace_id: owner.workspaceId })
    expect(entries).toMatchObject({
      items: [
        { cached_tokens: 4, credits: -90 / million },
        { cached_tokens: 4, credits: -54 / million },
      ],
    })
    const { chatSessionId: session_id } = answer
    expect(await run('get_conversation', { session_id })).toMatchObject({
      messages: { items: [{ cached_tokens: null }, { cached_tokens: 4 }] },
    })
  })

  test('are reported by a response, its stream and when it is read again', async () => {
    const service = await open({ model: { script: () => ({ reply: 'Hello', usage }) } })
    const { create, get, stream } = responsesOf(service)
    const counted = { input_tokens: 9, input_tokens_details: { cached_tokens: 4 } }
    const whole = await create({ input: 'hello' })
    const streamed = (await stream({ input: 'hello' })).at(-1)?.response
    for (const response of [whole, streamed]) {
      expect(response?.usage).toMatchObject(counted)
      expect((await get(response?.id ?? '')).usage).toEqual(response?.usage)
    }
  })

  test('end for Anthropic before the question, whose passages come after what turns share', async () => {
    const chat = await open({ model: { reply: 'Five days.' } })
    const anthropic = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: chat.model.origin }
    const service = await open({ environment: anthropic })
    const { ctx, owner, agent, say } = service
    await updateAgent(ctx, owner, agent.id, { model: 'anthropic/claude-sonnet-4-5' })
    await addTextSource(ctx, owner.workspaceId, {
      appId: agent.id,
      title: 'Tea',
      text: 'Tea steeps.',
    })
    const { chatSessionId } = await answerOf(say('Does tea steep?'))
    await answerOf(say('How does tea steep?', { chatSessionId }))
    const sent = chat.model.requests[1]?.body.messages as { content: object[] }[] // Anthropic's format.
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(sent).toMatchObject([
      { role: 'user', content: [{ text: 'Does tea steep?' }] },
      { role: 'assistant', content: [{ text: 'Five days.', ...mark }] },
      {
        role: 'user',
        content: [
          { text: expect.stringContaining('Tea steeps.') },
          { text: 'How does tea steep?' },
        ],
      },
    ])
    expect(JSON.stringify(sent[2])).not.toContain('cache_control')
  })

  test('are those before the mark in a prompt for Anthropic', async () => {
    const chat = await open({ model: { reply: '{"kind":true}' } })
    const anthropic = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: chat.model.origin }
    const { ctx, owner, agent, say } = await open({ environment: anthropic })
    const model = 'anthropic/claude-sonnet-4-5'
    await updateAgent(ctx, owner, agent.id, { model, system_prompt: 'Be kind.' })
    expect((await say('hello', { response_format: { type: 'json_object' } })).status).toBe(200)
    expect(chat.model.requests[0]?.body.system).toMatchObject([
      { text: 'Be kind.', cache_control: { type: 'ephemeral' } },
      { text: expect.stringContaining('JSON') },
    ])
  })
})
