import OpenAI, {
  APIError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  toFile,
} from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { pixelUrl, showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import { startMisbehavingModelServer } from '#test/support/servers/misbehaving-model-server.ts'

const shows = showsFor('`openai` for JavaScript, `chat.completions`')
const words = ['Hel', 'lo ', 'wörld']
const messages = [{ role: 'user' as const, content: 'hello' }]

describeChat('the openai client, unmodified', (open) => {
  async function setUp(options: Parameters<typeof open>[0] = { model: { reply: words } }) {
    const service = await open(options)
    const baseURL = await service.listen()
    const client = new OpenAI({ baseURL, apiKey: service.key, maxRetries: 0 })
    return { service, client, baseURL, model: service.agent.app_name_id }
  }

  shows(['answer'], 'creates a completion and reads its session id', async () => {
    const { client, model } = await setUp()
    const completion = await client.chat.completions.create({ model, messages })
    expect(completion.choices[0]?.message.content).toBe('Hello wörld')
    expect(completion.usage?.total_tokens).toBe(14)
    expect(completion).toHaveProperty('chatSessionId')
    expect(completion._request_id).toBeTruthy()
  })

  shows(['files'], 'sends a file by its id, and audio', async () => {
    const { client, service } = await setUp()
    const agent = await service.makeAgent({ model: 'openai/gpt-audio' })
    const own = new OpenAI({ baseURL: client.baseURL, apiKey: agent.key, maxRetries: 0 })
    const file = await toFile(Buffer.from('The door is green.'), 'note.md')
    const { id: file_id } = await own.files.create({ file, purpose: 'user_data' })
    const input_audio = { data: 'UklGRg==', format: 'wav' as const }
    const content = [
      { type: 'file' as const, file: { file_id } },
      { type: 'input_audio' as const, input_audio },
      { type: 'text' as const, text: 'Which colour?' },
    ]
    const asked = { model: agent.app_name_id, messages: [{ role: 'user' as const, content }] }
    await own.chat.completions.create(asked)
    const read = JSON.stringify(service.model.requests[0]?.body)
    expect(read).toContain('The door is green.')
    expect(read).toContain(JSON.stringify({ type: 'input_audio', input_audio }))
    const foreign = client.chat.completions.create({ ...asked, model: service.agent.app_name_id })
    await expect(foreign).rejects.toMatchObject({ status: 400 })
  })

  shows(
    ['conversation'],
    'continues a session with a body field that OpenAI does not define',
    async () => {
      const { client, model, service } = await setUp()
      const first = await client.chat.completions.create({ model, messages })
      const { chatSessionId } = first as unknown as { chatSessionId: string } // Our additional field.
      const next = { model, messages, chatSessionId }
      await client.chat.completions.create(next)
      expect(service.model.requests[1]?.body.messages).toHaveLength(3)
    },
  )

  shows(
    ['reasoning'],
    'reads the field in which servers of open models send reasoning',
    async () => {
      const { client, model } = await setUp({
        model: { script: () => ({ reply: words, reasoning: 'I greet.' }) },
      })
      const completion = await client.chat.completions.create({ model, messages })
      expect(completion.choices[0]?.message).toHaveProperty('reasoning_content', 'I greet.')
    },
  )

  shows(['streaming'], 'iterates a stream', async () => {
    const { client, model } = await setUp()
    const stream = await client.chat.completions.create({ model, messages, stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('Hello wörld')
  })

  shows(['streaming'], 'the .stream() helper returns the final completion with usage', async () => {
    const { client, model } = await setUp()
    const runner = client.chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    })
    const final = await runner.finalChatCompletion()
    expect(final.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Hello wörld' })
    expect(final.usage?.total_tokens).toBe(14)
  })

  shows([], 'lists and retrieves the model of its key', async () => {
    const { client, model } = await setUp()
    const listed = []
    for await (const entry of client.models.list()) listed.push(entry.id)
    expect(listed).toEqual([model])
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' })
  })

  shows(['errors'], 'throws its own error classes with our messages', async () => {
    const { client, model, baseURL } = await setUp()
    const stranger = new OpenAI({ baseURL, apiKey: 'svc_ck_wrong', maxRetries: 0 })
    const unauthenticated = stranger.chat.completions.create({ model, messages })
    await expect(unauthenticated).rejects.toThrow(AuthenticationError)
    const unknown = client.chat.completions.create({ model: 'nobody-1', messages })
    await expect(unknown).rejects.toThrow(NotFoundError)
    await expect(unknown).rejects.toMatchObject({ status: 404, error: 'Unknown model "nobody-1"' })
  })

  shows(['errors'], 'a provider’s limit is its RateLimitError', async () => {
    const { client, model } = await setUp({
      server: await startMisbehavingModelServer('answers 429 in seconds'),
    })
    const limited = client.chat.completions.create({ model, messages, stream: true })
    await expect(limited).rejects.toThrow(RateLimitError)
  })

  shows(['errors'], 'a failure midway is an APIError with a plain message', async () => {
    const { client, model } = await setUp({
      server: await startMisbehavingModelServer('cuts mid-stream'),
    })
    const stream = await client.chat.completions.create({ model, messages, stream: true })
    const read = async () => {
      for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk')
    }
    const failed = read()
    await expect(failed).rejects.toThrow(APIError)
    await expect(failed).rejects.toThrow('The model provider gave no usable answer')
  })

  shows(['abort'], 'aborting a stream ends the model call', async () => {
    const { client, model, service } = await setUp({ model: { script: () => slowAnswer } })
    const stream = await client.chat.completions.create({ model, messages, stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort()
    await (
      await service.model.request(0)
    ).aborted
  })

  shows(['tools'], 'runTools calls a function and sends its result', async () => {
    const toolCalls = [{ name: 'look_up', arguments: { word: 'tea' } }]
    const { client, model } = await setUp({
      model: {
        script: (_, n) => (n % 2 === 0 ? { reply: '', toolCalls } : { reply: 'A drink.' }),
      },
    })
    const asked: unknown[] = []
    const lookUp = {
      type: 'function' as const,
      function: {
        name: 'look_up',
        description: 'Looks a word up',
        parameters: { type: 'object' as const, properties: { word: { type: 'string' } } },
        parse: JSON.parse,
        function: (given: unknown) => {
          asked.push(given)
          return 'hot'
        },
      },
    }
    for (const stream of [false, true] as const) {
      const base = { model, messages, tools: [lookUp] }
      const runner = stream
        ? client.chat.completions.runTools({ ...base, stream })
        : client.chat.completions.runTools(base)
      expect(await runner.finalContent()).toBe('A drink.')
    }
    expect(asked).toEqual([{ word: 'tea' }, { word: 'tea' }])
  })

  shows(['structured output'], 'parses an answer with zodResponseFormat', async () => {
    const { client, model } = await setUp({ model: { reply: '{"city":"Bern"}' } })
    const response_format = zodResponseFormat(z.object({ city: z.string() }), 'place')
    const { choices } = await client.chat.completions.parse({ model, messages, response_format })
    expect(choices[0]?.message.parsed).toEqual({ city: 'Bern' })
  })

  shows(['images'], 'an image reaches the model', async () => {
    const { service, baseURL } = await setUp()
    const seeing = await service.makeAgent({ model: 'openai/gpt-4o' })
    const client = new OpenAI({ baseURL, apiKey: seeing.key, maxRetries: 0 })
    const image = { type: 'image_url' as const, image_url: { url: pixelUrl } }
    const content = [{ type: 'text' as const, text: 'What?' }, image]
    await client.chat.completions.create({
      model: seeing.app_name_id,
      messages: [{ role: 'user', content }],
    })
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain(pixelUrl)
  })
})
