import { OpenAIResponses } from '@llamaindex/openai'
import { FunctionTool } from '@llamaindex/core/tools'
import { expect } from 'vitest'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { pixelUrl, showsFor } from '#test/support/chat/client-features.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const shows = showsFor('LlamaIndex.TS, `OpenAIResponses`')
const messages = [{ role: 'user' as const, content: 'hello' }]
const words = ['Hel', 'lo ', 'wörld']
const parameters = {
  type: 'object' as const,
  properties: { word: { type: 'string' as const } },
  required: ['word'],
}

/** What an answer carries besides its text; the types of the package leave it out. */
interface Options {
  readonly reasoning?: { readonly summary: readonly { readonly text: string }[] }
  readonly toolCall?: readonly {
    readonly id: string
    readonly name: string
    readonly input: unknown
  }[]
}

/**
 * No test runs `LLMAgent` of `@llamaindex/core`: with `OpenAIResponses` it never ends. The agent ends with an
 * answer whose options have no `toolCall`, and `OpenAIResponses` gives each answer one, which may be empty.
 */
describeChat('the OpenAIResponses class of LlamaIndex.TS, unmodified', (open) => {
  async function setUp(script: (n: number) => ModelScript = () => ({ reply: words })) {
    const service = await open({ model: { script: (_, n) => script(n) } })
    const agent = await service.makeAgent({ model: 'openai/gpt-4o' })
    const baseURL = await service.listen()
    const llm = (more: object = {}, model = agent.app_name_id) =>
      new OpenAIResponses({ model, apiKey: agent.key, baseURL, maxRetries: 0, ...more })
    return { service, llm }
  }

  const textOf = (content: unknown) =>
    Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join('') : content

  shows(['answer'], 'chat returns the text of the answer', async () => {
    const { llm } = await setUp()
    const { message } = await llm().chat({ messages })
    expect(textOf(message.content)).toBe('Hello wörld')
  })

  shows(
    ['streaming', 'conversation'],
    'chat streams the pieces and follows responses',
    async () => {
      const { llm, service } = await setUp()
      const client = llm({ store: true, trackPreviousResponses: true })
      const said = async () => {
        const pieces = new Map<string, string>()
        for await (const { raw, delta } of await client.chat({ messages, stream: true })) {
          const { type, sequence_number: n } = raw as { type: string; sequence_number: number }
          if (type === 'response.output_text.delta') pieces.set(String(n), delta)
        }
        return [...pieces.values()].join('')
      }
      expect([await said(), await said()]).toEqual(['Hello wörld', 'Hello wörld'])
      expect(service.model.requests[1]?.body.messages).toHaveLength(3)
    },
  )

  shows(
    ['tools'],
    'calls are read, streamed and not, and continue with their results',
    async () => {
      const calls = ['tea', 'milk'].map((word, n) => ({
        id: `call_${n}`,
        name: 'look_up',
        arguments: { word },
      }))
      const { llm, service } = await setUp((n) =>
        n < 2 ? { reply: '', toolCalls: calls } : { reply: 'A drink.' },
      )
      const tools = [
        FunctionTool.from(() => 'hot', { name: 'look_up', description: 'It', parameters }),
      ]
      const { message } = await llm().chat({ messages, tools })
      const { toolCall = [] } = message.options as Options
      const wanted = calls.map(({ id, name, arguments: input }) => ({ id, name, input }))
      expect(toolCall.map((call) => ({ ...call, input: JSON.parse(String(call.input)) }))).toEqual(
        wanted,
      )
      const streamed = new Map<string, unknown>()
      for await (const { options } of await llm().chat({ messages, tools, stream: true }))
        for (const call of (options as Options).toolCall ?? []) streamed.set(call.id, call)
      expect([...streamed.values()]).toEqual(wanted)
      const results = toolCall.map(({ id }) => ({
        role: 'user' as const,
        content: 'hot',
        options: { toolResult: { id, result: 'hot', isError: false } },
      }))
      const history = [...messages, message, ...results]
      const last = await llm().chat({ messages: history, tools, stream: false })
      expect(textOf(last.message.content)).toBe('A drink.')
      const result = expect.objectContaining({
        role: 'tool',
        tool_call_id: 'call_1',
        content: 'hot',
      })
      expect(service.model.requests[2]?.body.messages).toContainEqual(result)
    },
  )

  shows(['structured output'], 'a field of the body asks for JSON of a schema', async () => {
    const { llm } = await setUp(() => ({ reply: '{"word":"tea"}' }))
    const format = { type: 'json_schema', name: 'found', schema: parameters }
    const { message } = await llm({ additionalChatOptions: { text: { format } } }).chat({
      messages,
    })
    expect(textOf(message.content)).toBe('{"word":"tea"}')
  })

  shows(['reasoning'], 'an answer has its reasoning', async () => {
    const { llm } = await setUp(() => ({ reply: words, reasoning: 'I greet.' }))
    const { message } = await llm().chat({ messages })
    const { reasoning } = message.options as Options
    expect(reasoning?.summary).toMatchObject([{ text: 'I greet.' }])
  })

  shows(['images', 'files'], 'an image and a PDF are read', async () => {
    const { llm, service } = await setUp()
    const data = Buffer.from(makePdf(['The door is green.'])).toString('base64')
    const content = [
      { type: 'text' as const, text: 'Which colour?' },
      { type: 'image_url' as const, image_url: { url: pixelUrl } },
      { type: 'file' as const, data, mimeType: 'application/pdf' },
    ]
    await llm().chat({ messages: [{ role: 'user', content }] })
    const sent = JSON.stringify(service.model.requests[0]?.body)
    expect(sent).toContain('The door is green.')
    expect(sent).toContain(pixelUrl)
  })

  shows(['errors'], 'an error has our status, code and message', async () => {
    const { llm } = await setUp()
    await expect(llm({}, 'nobody-1').chat({ messages })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      message: expect.stringContaining('Unknown model "nobody-1"'),
    })
  })
})
