import { createOpenResponses } from '@ai-sdk/open-responses'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const shows = showsFor('AI SDK, `@ai-sdk/open-responses`')
const words = ['Hel', 'lo ', 'wörld']

describeChat('the AI SDK with its provider for Open Responses, unmodified', (open) => {
  async function setUp(script: (n: number) => ModelScript = () => ({ reply: words })) {
    const service = await open({ model: { script: (_, n) => script(n) } })
    const url = `${await service.listen()}/responses`
    const agent = await service.makeAgent({ model: 'openai/gpt-4o' })
    const provider = createOpenResponses({ url, name: 'parley', apiKey: agent.key })
    return { service, provider, model: provider(agent.app_name_id) }
  }

  shows(['answer', 'streaming'], 'generateText and streamText return text and usage', async () => {
    const { model } = await setUp()
    const { text, usage, finishReason } = await generateText({ model, prompt: 'hello' })
    expect([text, finishReason]).toEqual(['Hello wörld', 'stop'])
    expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 5, totalTokens: 14 })
    const result = streamText({ model, prompt: 'hello' })
    const pieces = []
    for await (const piece of result.textStream) pieces.push(piece)
    expect(pieces.join('')).toBe('Hello wörld')
    expect(await result.usage).toMatchObject({ totalTokens: 14 })
  })

  shows(['tools', 'reasoning'], 'runs tools in several steps and shows reasoning', async () => {
    const toolCalls = ['tea', 'milk'].map((word, n) => ({
      id: `call_${n}`,
      name: 'look_up',
      arguments: { word },
    }))
    const { model } = await setUp((n) =>
      n % 2 === 0
        ? { reply: '', toolCalls, reasoning: 'I look it up.' }
        : { reply: 'A drink.', reasoning: 'I know.' },
    )
    const asked: string[] = []
    const lookUp = tool({
      inputSchema: z.object({ word: z.string() }),
      execute: async ({ word }) => {
        asked.push(word)
        return 'hot'
      },
    })
    const tools = { look_up: lookUp }
    const request = { model, prompt: 'What is tea?', tools, stopWhen: stepCountIs(3) }
    const { text, steps } = await generateText(request)
    expect(text).toBe('A drink.')
    expect(steps.map(({ reasoningText }) => reasoningText)).toEqual(['I look it up.', 'I know.'])
    expect(await streamText(request).text).toBe('A drink.')
    expect(asked).toEqual(['tea', 'milk', 'tea', 'milk'])
  })

  shows(['structured output'], 'returns an object of a schema', async () => {
    const { model } = await setUp(() => ({ reply: '{"city":"Bern"}' }))
    const output = Output.object({ schema: z.object({ city: z.string() }) })
    const result = await generateText({ model, prompt: 'Where?', output })
    expect(result.output).toEqual({ city: 'Bern' })
  })

  shows(['images', 'files'], 'sends an image and a PDF', async () => {
    const { model, service } = await setUp()
    const image = 'data:image/png;base64,iVBORw0KGgo='
    const pdf = makePdf(['The door is green.'])
    const content = [
      { type: 'file' as const, mediaType: 'image/png', data: image },
      { type: 'file' as const, mediaType: 'application/pdf', filename: 'a.pdf', data: pdf },
    ]
    await generateText({ model, messages: [{ role: 'user', content }] })
    const sent = JSON.stringify(service.model.requests[0]?.body)
    expect(sent).toContain('The door is green.')
    expect(sent).toContain('iVBORw0KGgo=')
  })

  shows(['abort'], 'aborting a stream ends the model call', async () => {
    const { model, service } = await setUp(() => slowAnswer)
    const stop = new AbortController()
    const { textStream } = streamText({ model, prompt: 'hello', abortSignal: stop.signal })
    for await (const piece of textStream) if (piece !== '') stop.abort()
    const { aborted } = await service.model.request(0)
    await aborted
  })

  shows(['errors'], 'an error is an APICallError with our message', async () => {
    const { provider } = await setUp()
    const asked = { model: provider('nobody-1'), prompt: 'hello', maxRetries: 0 }
    const error = await generateText(asked).catch((reason: unknown) => reason)
    expect(APICallError.isInstance(error)).toBe(true)
    // The package shows the message only of an error with a `param`, which can be null.
    expect(error).toMatchObject({
      statusCode: 404,
      message: expect.stringMatching(/^Unknown model/),
    })
    const refused = await generateText({
      ...asked,
      model: provider('nobody-1'),
      topP: 3,
    }).catch((reason: unknown) => reason)
    expect(refused).toMatchObject({ statusCode: 400, message: expect.stringContaining('`top_p`') })
  })
})
