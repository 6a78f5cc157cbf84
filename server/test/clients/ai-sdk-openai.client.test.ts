import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat, type OpenChat } from '#test/support/chat/chat-service.ts'
import { showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const words = ['Hel', 'lo ', 'wörld']
const modes = ['responses', 'chat'] as const
type Mode = (typeof modes)[number]

for (const mode of modes)
  describeChat(`the AI SDK with its provider for ${mode}, unmodified`, (open) => {
    describeProvider(open, mode)
  })

const setUpWith =
  (open: OpenChat, mode: Mode) =>
  async (script: (n: number) => ModelScript = () => ({ reply: words })) => {
    const service = await open({ model: { script: (_, n) => script(n) } })
    const baseURL = await service.listen()
    const agent = await service.makeAgent({ model: 'openai/gpt-4o' })
    const provider = createOpenAI({ baseURL, apiKey: agent.key })
    return { service, provider, model: provider[mode](agent.app_name_id) }
  }

function describeProvider(open: OpenChat, mode: Mode): void {
  const shows = showsFor(`AI SDK, \`@ai-sdk/openai\` with \`${mode}\``)
  const setUp = setUpWith(open, mode)

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

  shows(['tools'], 'runs tools in several steps', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { model } = await setUp((n) =>
      n % 2 === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' },
    )
    const words: string[] = []
    const lookUp = tool({
      inputSchema: z.object({ word: z.string() }),
      execute: async ({ word }) => {
        words.push(word)
        return 'hot'
      },
    })
    const asked = {
      model,
      prompt: 'What is tea?',
      tools: { look_up: lookUp },
      stopWhen: stepCountIs(3),
    }
    expect((await generateText(asked)).text).toBe('A drink.')
    expect(await streamText(asked).text).toBe('A drink.')
    expect(words).toEqual(['tea', 'tea'])
  })

  shows(['structured output'], 'returns an object of a schema', async () => {
    const { model } = await setUp(() => ({ reply: '{"city":"Bern"}' }))
    const output = Output.object({ schema: z.object({ city: z.string() }) })
    const result = await generateText({ model, prompt: 'Where?', output })
    expect(result.output).toEqual({ city: 'Bern' })
  })

  shows(['images'], 'sends an image', async () => {
    const { model, service } = await setUp()
    const data = 'data:image/png;base64,iVBORw0KGgo='
    const content = [{ type: 'file' as const, mediaType: 'image/png', data }]
    await generateText({ model, messages: [{ role: 'user', content }] })
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain('iVBORw0KGgo=')
  })

  shows(['files'], 'sends a PDF', async () => {
    const { model, service } = await setUp()
    const data = makePdf(['The door is green.'])
    const part = { type: 'file' as const, mediaType: 'application/pdf', filename: 'a.pdf', data }
    await generateText({ model, messages: [{ role: 'user', content: [part] }] })
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain('The door is green.')
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
    const model = provider[mode]('nobody-1')
    const error = await generateText({ model, prompt: 'hello', maxRetries: 0 }).catch(
      (reason: unknown) => reason,
    )
    expect(APICallError.isInstance(error)).toBe(true)
    // Of an error in the interface's shape it shows the reason phrase.
    const message = mode === 'chat' ? 'Unknown model' : 'Unknown model "nobody-1"'
    expect(error).toMatchObject({ message, statusCode: 404 })
  })

  if (mode === 'responses') describeResponses(setUp, shows)
}

/** What only the Responses API has. */
function describeResponses(
  setUp: ReturnType<typeof setUpWith>,
  shows: ReturnType<typeof showsFor>,
): void {
  shows(['conversation'], 'continues a response by its id', async () => {
    const { model, service } = await setUp()
    const first = await generateText({ model, prompt: 'hello' })
    const previousResponseId = first.providerMetadata?.openai?.responseId as string // OpenAI's id.
    const providerOptions = { openai: { previousResponseId } }
    await generateText({ model, prompt: 'again', providerOptions })
    expect(service.model.requests[1]?.body.messages).toHaveLength(3)
  })

  shows(['reasoning'], 'shows reasoning, streamed and not, also in several steps', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { model } = await setUp((n) =>
      n % 2 === 0
        ? { reply: '', toolCalls, reasoning: 'I look it up.' }
        : { reply: 'A drink.', reasoning: 'I know.' },
    )
    const execute = async () => 'hot'
    const lookUp = tool({ inputSchema: z.object({ word: z.string() }), execute })
    const tools = { look_up: lookUp }
    const asked = { model, prompt: 'What is tea?', tools, stopWhen: stepCountIs(3) }
    const { steps, text } = await generateText(asked)
    const thoughts = ['I look it up.', 'I know.']
    expect(steps.map(({ reasoningText }) => reasoningText)).toEqual(thoughts)
    expect(text).toBe('A drink.')
    const heard = []
    for await (const part of streamText(asked).fullStream)
      if (part.type === 'reasoning-delta') heard.push(part.text)
    expect(heard.join('')).toBe(thoughts.join(''))
  })
}
