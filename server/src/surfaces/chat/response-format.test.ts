import { describe, expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { addAction, loopback } from '#test/support/chat/agent-with-actions.ts'
import { answerOf, describeChat, readFrames } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'
import { startServer } from '#test/support/servers/model-server.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
const asSchema = {
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'weather', description: 'The weather', schema, strict: true },
  },
}
const asObject = { response_format: { type: 'json_object' } }
const good = '{"city":"Bern","degrees":21}'

const replies = (...texts: string[]) => ({
  model: { script: (_: unknown, n: number) => ({ reply: texts[n] ?? 'No more.' }) },
})

describeChat('an answer in the form of JSON', (open) => {
  test('is asked for, checked, and freed of fences', async () => {
    const chat = await open(replies(`\`\`\`json\n${good}\n\`\`\``))
    const answer = await answerOf(chat.say('Weather?', asSchema))
    expect(answer.choices[0].message.content).toBe(good)
    const { body } = chat.model.requests[0]!
    expect(body.response_format).toEqual(asSchema.response_format)
    expect(JSON.stringify(body.messages)).toContain('matches this JSON Schema')
  })

  describe('is asked for once more when the model gets it wrong', () => {
    test.each([
      ['not JSON', 'It is warm.', 'it is not JSON'],
      ['another form', '{"city":"Bern"}', 'the value must have degrees'],
    ])('%s', async (_, wrong, problem) => {
      const chat = await open(replies(wrong, good))
      const answer = await answerOf(chat.say('Weather?', asSchema))
      expect(answer.choices[0].message.content).toBe(good)
      expect(answer).toMatchObject({ usage: { prompt_tokens: 18, completion_tokens: 10 } })
      const sent = chat.model.requests[1]?.body.messages as { role: string; content: string }[]
      expect(sent.slice(-2)).toMatchObject([
        { role: 'assistant', content: wrong },
        { role: 'user' },
      ])
      expect(sent.at(-1)?.content).toContain(problem)
    })

    test('and a client that streams sees only the right one, which alone is stored', async () => {
      const chat = await open(replies('{"city":"B', good))
      const frames = await readFrames(await chat.say('Weather?', { ...asSchema, stream: true }))
      const said = frames.flatMap(({ choices }) => {
        const [choice] = (choices ?? []) as { delta: { content?: string } }[] // A chunk.
        return choice?.delta.content ?? []
      })
      expect(said.join('')).toBe(good)
      const stored = await chat.ctx.db.read
        .selectFrom('chat_messages')
        .select('content')
        .where('role', '=', 'assistant')
        .execute()
      expect(stored).toEqual([{ content: good }])
    })
  })

  test('is checked in time that does not grow with its white space', async () => {
    const spaces = '\n'.repeat(20_000)
    const chat = await open(replies(`\`\`\`${spaces}x`, `\`\`\`json${spaces}{}${spaces}\`\`\``))
    const startedAt = performance.now()
    const answer = await answerOf(chat.say('Weather?', asObject))
    expect(answer.choices[0].message.content).toBe('{}')
    // A pattern with two gaps took minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test('is checked in a process of its own where patterns or size need it', async () => {
    const hostile = { ...schema, properties: { city: { pattern: '^(a+)+$' }, degrees: {} } }
    const long = { type: 'array', items: { type: 'integer', multipleOf: 2 } }
    const asking = (given: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'it', schema: given } },
    })
    const chat = await open(
      replies(
        '{"city":"b","degrees":1}',
        '{"city":"aa","degrees":1}',
        JSON.stringify(Array.from({ length: 20_000 }, () => 4)),
      ),
    )
    const answer = await answerOf(chat.say('Weather?', asking(hostile)))
    expect(answer.choices[0].message.content).toBe('{"city":"aa","degrees":1}')
    const { messages } = chat.model.requests[1]!.body as { messages: { content: string }[] } // Chat.
    expect(messages.at(-1)?.content).toContain('/city must match the pattern')
    expect((await chat.say('Numbers?', asking(long))).status).toBe(200)
  })

  describe('whose schema cannot be checked is refused before the model is asked', () => {
    test.each([
      [{ type: 'object', nullable: true }, '/nullable is not a known keyword'],
      [{ $ref: '#/$defs/%' }, '/$ref does not name a part of the schema'],
      [{ properties: { a: { $ref: 'https://example.com/a' } } }, '/properties/a/$ref does not'],
      [{ pattern: '(' }, '/pattern does not have a known value'],
    ])('%j', async (wanted, problem) => {
      const chat = await open()
      const json_schema = { name: 'it', schema: wanted }
      const refused = await chat.say('Hi', {
        response_format: { type: 'json_schema', json_schema },
      })
      expect(refused.status).toBe(400)
      expect((await answerOf(refused)).error).toContain(
        `\`response_format\` has a schema that cannot be checked: ${problem}`,
      )
      const responses = responsesOf(chat)
      const format = { type: 'json_schema', ...json_schema }
      for (const background of [false, true]) {
        const response = await responses.post({ input: 'Hi', text: { format }, background })
        expect(await responses.refused(response, 400)).toMatchObject({ param: 'text.format' })
      }
      expect(chat.model.requests).toHaveLength(0)
    })

    test('but passed on to a provider that enforces it', async () => {
      const { model } = await open(replies('{"a":1}'))
      const environment = { GOOGLE_API_KEY: 'k', GOOGLE_BASE_URL: model.origin }
      const chat = await open({ environment })
      const { app_name_id: name, key } = await chat.makeAgent({ model: 'google/some-model' })
      const order = { propertyOrdering: ['a'], properties: { a: { type: 'integer' } } }
      const json_schema = { name: 'it', schema: { type: 'object', ...order } }
      const messages = [{ role: 'user', content: 'Hi' }]
      const answered = await chat.post(
        { model: name, messages, response_format: { type: 'json_schema', json_schema } },
        { authorization: `Bearer ${key}` },
      )
      expect(answered.status).toBe(200)
      expect(JSON.stringify(model.requests[0]?.body)).toContain('"propertyOrdering":["a"]')
    })
  })

  test.each(['google', 'ollama'])(
    'is checked when its schema has more than %s enforces',
    async (provider) => {
      const { model } = await open(replies('{"city":"B"}', '{"city":"Bern"}'))
      const variable = provider.toUpperCase()
      const key = provider === 'google' ? { GOOGLE_API_KEY: 'k' } : {}
      const environment = { ...key, [`${variable}_BASE_URL`]: model.origin }
      const chat = await open({ environment })
      await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: `${provider}/some-model` })
      const city = { type: 'string', minLength: 2 }
      const json_schema = { name: 'it', schema: { type: 'object', properties: { city } } }
      const response_format = { type: 'json_schema', json_schema }
      const answer = await answerOf(chat.say('City?', { response_format }))
      expect(answer.choices[0].message.content).toBe('{"city":"Bern"}')
    },
  )

  test('that is wrong twice ends with a clear error', async () => {
    const chat = await open(replies('no', '[1]'))
    for (const stream of [false, true]) {
      const refused = await chat.say('Weather?', { ...asObject, stream })
      expect(refused.status).toBe(502)
      expect(await answerOf(refused)).toEqual({
        error: 'The answer of the model does not match `response_format`',
      })
    }
  })

  test.each([
    ['', 2, good],
    [', and once more without the field when it is wrong', 3, 'It is warm.'],
  ])('comes from servers that refuse the field, too%s', async (_, calls, content) => {
    const server = await startServer((response, { body }, n) => {
      const isRefused = body.response_format !== undefined
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' })
      const message = { role: 'assistant', content: n === 1 ? content : good }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      response.end(JSON.stringify(isRefused ? { error: { message: 'no' } } : { choices }))
    })
    const chat = await open({ server })
    const answer = await answerOf(chat.say('Weather?', asSchema))
    expect(answer.choices[0].message.content).toBe(good)
    expect(server.requests).toHaveLength(calls)
  })

  test('does not contain what the model writes between calls of the agent’s actions, whose results it keeps when it is asked once more', async () => {
    const api = await startActionServer(json({ degrees: 21 }))
    const looking = { reply: 'Let me look.', toolCalls: [{ name: 'get_weather' }] }
    const replied = [looking, { reply: 'It is warm.' }, { reply: good }]
    const script = (_: unknown, n: number) => replied[n] ?? looking
    const chat = await open({ model: { script }, environment: loopback })
    await addAction(chat, { url: api.origin })
    const answer = await answerOf(chat.say('Weather?', asSchema))
    expect(answer.choices[0].message).toEqual({ role: 'assistant', content: good })
    expect(api.requests).toHaveLength(1)
    expect(chat.model.requests[2]?.body).toMatchObject({
      tool_choice: 'none',
      tools: [{ function: { name: 'get_weather' } }],
    })
    const read = chat.model.requests[2]?.body.messages as { role: string; content: string }[]
    expect(read.slice(-4)).toMatchObject([
      { role: 'assistant', tool_calls: [{ function: { name: 'get_weather' } }] },
      { role: 'tool', content: expect.stringContaining('21') },
      { role: 'assistant', content: 'It is warm.' },
      { role: 'user' },
    ])
  })

  test('that is cut short says so with its finish reason', async () => {
    const chat = await open({
      model: { script: () => ({ reply: '{"city":', finishReason: 'length' }) },
    })
    expect(await answerOf(chat.say('Weather?', asSchema))).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: '{"city":' } }],
    })
    const again = await open({
      model: {
        script: (_, n) =>
          n === 0 ? { reply: 'It is warm.' } : { reply: '{"city":', finishReason: 'length' },
      },
    })
    expect(await answerOf(again.say('Weather?', asSchema))).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: '{"city":' } }],
    })
  })

  test.each(['anthropic', 'google'])('comes from models of %s', async (provider) => {
    const { model } = await open(replies('It is warm.', good))
    const variable = provider.toUpperCase()
    const chat = await open({
      environment: { [`${variable}_API_KEY`]: 'k', [`${variable}_BASE_URL`]: model.origin },
    })
    const { app_name_id: name, key } = await chat.makeAgent({ model: `${provider}/some-model` })
    const messages = [{ role: 'user', content: 'Weather?' }]
    const answered = await chat.post(
      { model: name, messages, ...asObject },
      { authorization: `Bearer ${key}` },
    )
    const { choices } = await answerOf(answered)
    // Google holds its models to JSON, so its word is taken.
    expect(choices[0].message.content).toBe(provider === 'google' ? 'It is warm.' : good)
    if (provider === 'google')
      expect(JSON.stringify(model.requests[0]?.body)).toContain(
        '"responseMimeType":"application/json"',
      )
  })
})
