import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeChat, type ChatServiceOptions } from '#test/support/chat/chat-service.ts'
import { showsFor } from '#test/support/chat/client-features.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

const shows = showsFor('`openai` for JavaScript, `chat.completions`')
const messages = [{ role: 'user' as const, content: 'What is the weather in Bern?' }]
const call = { name: 'get_weather', arguments: { city: 'Bern', note: 'ä"\\' } }

/** The helper's form of a tool. */
const tool = (run: (input: { city: string }) => string) => ({
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object' as const, properties: { city: { type: 'string' } } },
    parse: (text: string) => JSON.parse(text) as { city: string },
    function: run,
  },
})

describeChat('the openai client, unmodified, with tools and forms', (open) => {
  async function setUp(script: (n: number) => ModelScript, options: ChatServiceOptions = {}) {
    const service = await open({ ...options, model: { script: (_, n) => script(n) } })
    const client = new OpenAI({
      baseURL: await service.listen(),
      apiKey: service.key,
      maxRetries: 0,
    })
    return { service, client, model: service.agent.app_name_id }
  }

  shows(
    ['tools', 'streaming'],
    'the .stream() helper puts streamed calls of tools together',
    async () => {
      const toolCalls = [call, { ...call, id: 'call_b' }]
      const { client, model } = await setUp(() => ({ reply: '', toolCalls }))
      const { parse: _, function: __, ...definition } = tool(() => '').function
      const tools = [{ type: 'function' as const, function: definition }]
      const final = await client.chat.completions
        .stream({ model, messages, tools })
        .finalChatCompletion()
      const [choice] = final.choices
      expect(choice?.finish_reason).toBe('tool_calls')
      const made = choice?.message.tool_calls?.map((one) => 'function' in one && one.function)
      const written = { name: 'get_weather', arguments: JSON.stringify(call.arguments) }
      expect(made).toMatchObject([written, written])
    },
  )

  for (const stream of [false, true])
    shows(['tools'], `the tool runner ends with the answer (stream: ${stream})`, async () => {
      const { client, model, service } = await setUp((n) =>
        n === 0 ? { reply: '', toolCalls: [call] } : { reply: 'It is sunny.' },
      )
      const asked: string[] = []
      const tools = [
        tool(({ city }) => {
          asked.push(city)
          return 'sunny'
        }),
      ]
      const runner = stream
        ? client.chat.completions.runTools({ model, messages, tools, stream })
        : client.chat.completions.runTools({ model, messages, tools })
      expect(await runner.finalContent()).toBe('It is sunny.')
      expect(asked).toEqual(['Bern'])
      expect(JSON.stringify(service.model.requests[1]?.body.messages)).toContain('sunny')
    })

  shows(
    ['structured output'],
    'the structured outputs helper parses an answer, streamed and whole',
    async () => {
      const weather = z.object({ city: z.string(), degrees: z.number() })
      const reply = '{"city":"Bern","degrees":21}'
      const { client, model } = await setUp((n) => ({ reply: n === 0 ? 'It is warm.' : reply }))
      const asked = { model, messages, response_format: zodResponseFormat(weather, 'weather') }
      // The first answer is not in the form: the model is asked again.
      const parsed = await client.chat.completions.parse(asked)
      expect(parsed.choices[0]?.message.parsed).toEqual({ city: 'Bern', degrees: 21 })
      const final = await client.chat.completions.stream(asked).finalChatCompletion()
      expect(final.choices[0]?.message.parsed).toEqual({ city: 'Bern', degrees: 21 })
    },
  )

  shows(['errors'], 'an answer in no form is an APIError', async () => {
    const { client, model } = await setUp(() => ({ reply: 'It is warm.' }))
    const response_format = zodResponseFormat(z.object({ city: z.string() }), 'city')
    await expect(
      client.chat.completions.parse({ model, messages, response_format }),
    ).rejects.toMatchObject({ status: 502 })
  })

  shows(['files'], 'a file is read in chat completions and in responses', async () => {
    const { client, model, service } = await setUp(() => ({ reply: 'Green.' }))
    const file_data = `data:text/markdown;base64,${Buffer.from('The door is green.').toString('base64')}`
    const file = { filename: 'note.md', file_data }
    const question = 'Which colour?'
    const content = [
      { type: 'file' as const, file },
      { type: 'text' as const, text: question },
    ]
    await client.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    const parts = [
      { type: 'input_file' as const, ...file },
      { type: 'input_text' as const, text: question },
    ]
    const input = [{ role: 'user' as const, content: parts }]
    expect((await client.responses.create({ model, input })).output_text).toBe('Green.')
    for (const { body } of service.model.requests)
      expect(JSON.stringify(body.messages)).toContain('The door is green.')
    expect(service.model.requests).toHaveLength(2)
  })
})
