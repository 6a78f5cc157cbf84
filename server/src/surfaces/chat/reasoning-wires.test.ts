import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { answerOf, describeChat, readFrames } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'

const script = () => ({
  reply: 'Four.',
  reasoning: 'Two and two.',
  usage: { prompt: 9, completion: 5, reasoning: 3 },
})

describeChat('reasoning', (open) => {
  test.each([
    ['openai', 'some-model'],
    ['anthropic', 'claude-sonnet-4-5'],
    ['google', 'gemini-2.5-flash'],
  ])(
    'comes from models of %s, with its tokens, which a response shows again when it is read',
    async (provider, name) => {
      const { model } = await open({ model: { script } })
      const variable = provider.toUpperCase()
      const base = provider === 'openai' ? model.baseUrl : model.origin
      const chat = await open({
        environment: { [`${variable}_API_KEY`]: 'k', [`${variable}_BASE_URL`]: base },
      })
      const { ctx, owner, agent } = chat
      await updateAgent(ctx, owner, agent.id, { model: `${provider}/${name}` })
      const asked = { reasoning_effort: 'low' }
      const thought = { message: { content: 'Four.', reasoning_content: 'Two and two.' } }
      const usage = { completion_tokens_details: { reasoning_tokens: 3 } }
      const whole = await answerOf(chat.say('2+2?', asked))
      expect(whole).toMatchObject({ choices: [thought], usage: { completion_tokens: 5, ...usage } })
      const streaming = { ...asked, stream: true, stream_options: { include_usage: true } }
      const frames = await readFrames(await chat.say('2+2?', streaming))
      expect(frames.at(-2)).toMatchObject({ usage })
      const deltas = frames.flatMap(({ choices }) => {
        const [choice] = (choices ?? []) as { delta: Record<string, string> }[] // A chunk.
        return choice?.delta.reasoning_content ?? []
      })
      expect(deltas.join('')).toBe('Two and two.')
      const { create, get, stream } = responsesOf(chat)
      const counted = { output_tokens: 5, output_tokens_details: { reasoning_tokens: 3 } }
      const response = await create({ input: '2+2?', reasoning: { effort: 'low' } })
      expect(response.output[0]).toMatchObject({ type: 'reasoning' })
      const streamed = (await stream({ input: '2+2?' })).at(-1)?.response
      for (const shown of [response, streamed]) {
        expect(shown?.usage).toMatchObject(counted)
        expect((await get(shown?.id ?? '')).usage).toEqual(shown?.usage)
      }
    },
  )

  test.each([
    ['anthropic', 'claude-opus-4-8', 'minimal', 'low'],
    ['anthropic', 'claude-opus-5-5', 'none', 'low'],
    ['google', 'gemini-2.5-pro', 'none', 'low'],
  ])(
    'of %s/%s refuses the effort %s by name, because its package would send another one',
    async (provider, name, moved, honoured) => {
      const { model } = await open({ model: { script } })
      const variable = provider.toUpperCase()
      const environment = { [`${variable}_API_KEY`]: 'k', [`${variable}_BASE_URL`]: model.origin }
      const chat = await open({ environment })
      await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: `${provider}/${name}` })
      for (const stream of [false, true]) {
        const refused = await chat.say('2+2?', { reasoning_effort: moved, stream })
        expect(refused.status).toBe(400)
        expect((await answerOf(refused)).error).toMatch('`reasoning_effort` is not supported')
        const said = await chat.say('2+2?', { reasoning_effort: honoured, stream })
        expect(said.status).toBe(200)
        await said.text()
      }
    },
  )

  test.each([
    ['gemini-2.5-flash', true],
    ['gemini-2.0-flash', false],
    ['gemini-2.5-flash-image', false],
  ])('is asked of %s of Google: %s', async (name, isAsked) => {
    const { model } = await open({ model: { script } })
    const environment = { GOOGLE_API_KEY: 'k', GOOGLE_BASE_URL: model.origin }
    const chat = await open({ environment })
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: `google/${name}` })
    expect((await chat.say('2+2?')).status).toBe(200)
    const sent = JSON.stringify(model.requests[0]?.body)
    expect(sent.includes('"includeThoughts":true')).toBe(isAsked)
  })
})
