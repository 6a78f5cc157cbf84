import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { pixelUrl, showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import type { ModelServerOptions } from '#test/support/servers/model-server.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const shows = showsFor('AI SDK, `@ai-sdk/openai-compatible`')
const words = ['Hel', 'lo ', 'wörld']

describeChat('the AI SDK with its openai-compatible provider, unmodified', (open) => {
  async function setUp(scripted: ModelServerOptions = { reply: words }) {
    const service = await open({ model: scripted })
    const baseURL = await service.listen()
    const provider = createOpenAICompatible({
      name: 'parley',
      baseURL,
      apiKey: service.key,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })
    return { service, provider, model: provider(service.agent.app_name_id) }
  }

  shows(['answer'], 'generateText returns text and usage', async () => {
    const { model } = await setUp()
    const { text, usage, finishReason } = await generateText({ model, prompt: 'hello' })
    expect([text, finishReason]).toEqual(['Hello wörld', 'stop'])
    expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 5, totalTokens: 14 })
  })

  shows([], 'generateText sends content as parts, which are joined', async () => {
    const { model, service } = await setUp()
    const content = [
      { type: 'text' as const, text: 'one' },
      { type: 'text' as const, text: 'two' },
    ]
    await generateText({ model, messages: [{ role: 'user', content }] })
    expect(service.model.requests[0]?.body.messages).toEqual([
      { role: 'user', content: 'one\ntwo' },
    ])
  })

  shows(['streaming'], 'streamText returns the text as it arrives, and usage', async () => {
    const { model } = await setUp()
    const result = streamText({ model, prompt: 'hello' })
    const pieces = []
    for await (const piece of result.textStream) pieces.push(piece)
    expect(pieces.join('')).toBe('Hello wörld')
    expect(await result.usage).toMatchObject({ totalTokens: 14 })
    expect(await result.finishReason).toBe('stop')
  })

  shows(['reasoning'], 'shows reasoning, streamed and not', async () => {
    const { model } = await setUp({ script: () => ({ reply: words, reasoning: 'I greet.' }) })
    expect((await generateText({ model, prompt: 'hello' })).reasoningText).toBe('I greet.')
    expect(await streamText({ model, prompt: 'hello' }).reasoningText).toBe('I greet.')
  })

  shows(['files'], 'sends a PDF', async () => {
    const { model, service } = await setUp()
    const data = makePdf(['The door is green.'])
    const part = { type: 'file' as const, mediaType: 'application/pdf', filename: 'a.pdf', data }
    await generateText({ model, messages: [{ role: 'user', content: [part] }] })
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain('The door is green.')
  })

  shows(['errors'], 'an error is an APICallError with our body and is not retryable', async () => {
    const { provider } = await setUp()
    const call = generateText({ model: provider('nobody-1'), prompt: 'hello', maxRetries: 0 })
    const error = await call.catch((reason: unknown) => reason)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({
      message: 'Unknown model',
      statusCode: 404,
      isRetryable: false,
      responseBody: '{"error":"Unknown model \\"nobody-1\\""}',
    })
  })

  shows(['errors'], 'the message of an error explains what is wrong', async () => {
    const { service } = await setUp()
    const baseURL = await service.listen()
    const provider = createOpenAICompatible({ name: 'parley', baseURL, apiKey: 'svc_ck_wrong' })
    const errors: unknown[] = []
    const call = streamText({
      model: provider(service.agent.app_name_id),
      prompt: 'hello',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    await call.consumeStream()
    expect(errors).toEqual([
      expect.objectContaining({ message: 'Invalid API key', statusCode: 401 }),
    ])
  })

  shows(['tools'], 'runs tools in several steps', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { model } = await setUp({
      script: (_, n) => (n % 2 === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' }),
    })
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
    expect((await generateText(request)).text).toBe('A drink.')
    expect(await streamText(request).text).toBe('A drink.')
    expect(asked).toEqual(['tea', 'tea'])
  })

  shows(['structured output'], 'returns an object of a schema', async () => {
    const { model } = await setUp({ reply: '{"city":"Bern"}' })
    const output = Output.object({ schema: z.object({ city: z.string() }) })
    const result = await generateText({ model, prompt: 'Where?', output })
    expect(result.output).toEqual({ city: 'Bern' })
  })

  shows(['images'], 'an image reaches the model', async () => {
    const { service } = await setUp()
    const seeing = await service.makeAgent({ model: 'openai/gpt-4o' })
    const baseURL = await service.listen()
    const provider = createOpenAICompatible({ name: 'parley', baseURL, apiKey: seeing.key })
    const image = { type: 'file' as const, mediaType: 'image/png', data: pixelUrl }
    const content = [{ type: 'text' as const, text: 'What?' }, image]
    await generateText({
      model: provider(seeing.app_name_id),
      messages: [{ role: 'user', content }],
    })
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain(pixelUrl)
  })

  shows(['abort'], 'aborting a stream ends the model call', async () => {
    const { model, service } = await setUp({ script: () => slowAnswer })
    const aborting = new AbortController()
    const { signal: abortSignal } = aborting
    const { textStream } = streamText({ model, prompt: 'hello', abortSignal })
    for await (const piece of textStream) if (piece !== '') aborting.abort()
    await (
      await service.model.request(0)
    ).aborted
  })
})
