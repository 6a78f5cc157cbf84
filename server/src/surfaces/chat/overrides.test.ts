import { expect, test } from 'vitest'
import { updateAgent, type AgentPatch } from '#features/agents/index.ts'
import { answerOf, describeChat } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'
import { startServer } from '#test/support/servers/model-server.ts'

const tools = [{ type: 'function', function: { name: 'weather' } }]
const providers = ['anthropic', 'google'].map((name) => [name, name.toUpperCase()] as const)

describeChat('what a request sets for its own turn', (open) => {
  test('reaches the model under its own names, within the agent’s bounds', async () => {
    const chat = await open()
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, {
      temperature: 0.1,
      max_output_tokens: 100,
    })
    const sampling = {
      top_p: 0.5,
      stop: ['END'],
      seed: 7,
      presence_penalty: 1,
      frequency_penalty: -1,
      logit_bias: { 50256: -100 },
      reasoning_effort: 'low',
      verbosity: 'high',
    }
    expect((await chat.say('?', { ...sampling, max_tokens: 5 })).status).toBe(200)
    expect((await chat.say('?', { max_completion_tokens: 500, temperature: 2 })).status).toBe(200)
    const [first, second] = chat.model.requests.map(({ body }) => body)
    expect(first).toMatchObject({ ...sampling, max_tokens: 5 })
    // The caller's `top_p` replaces the agent's temperature.
    expect(first).not.toHaveProperty('temperature')
    expect(second).toMatchObject({ max_tokens: 100, temperature: 2 })
  })

  test('is refused with the bounds that the agent sets for sampling', async () => {
    const chat = await open()
    const change = (patch: AgentPatch) => updateAgent(chat.ctx, chat.owner, chat.agent.id, patch)
    await change({ temperature_bounds: { min: 0.2, max: 0.8 }, top_p_bounds: { min: 0, max: 0.9 } })
    const { post, refused } = responsesOf(chat)
    for (const [field, value, between] of [
      ['temperature', 0.1, '0.2 and 0.8'],
      ['temperature', 0.81, '0.2 and 0.8'],
      ['top_p', 1, '0 and 0.9'],
    ] as const) {
      const said = await chat.say('?', { [field]: value })
      expect(said.status).toBe(400)
      const message = `\`${field}\` must be between ${between}, as this agent's settings say`
      expect(await said.json()).toEqual({ error: message })
      for (const more of [{}, { background: true }])
        expect(
          await refused(await post({ input: '?', [field]: value, ...more }), 400),
        ).toMatchObject({ code: 'field_out_of_bounds', param: field })
    }
    expect(chat.model.requests).toHaveLength(0)
    expect((await chat.say('?', { temperature: 0.2, top_p: 0.9 })).status).toBe(200)
    expect(chat.model.requests[0]?.body).toMatchObject({ temperature: 0.2, top_p: 0.9 })
    // Without its own temperature the model's would count, which can be outside.
    await change({ temperature: 0.3 })
    expect((await chat.say('?', { top_p: 0.5 })).status).toBe(200)
    expect(chat.model.requests[1]?.body).toMatchObject({ temperature: 0.3, top_p: 0.5 })
  })

  test('is refused by name when the agent does not allow it', async () => {
    const chat = await open()
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, {
      allow_request_overrides: ['sampling'],
    })
    const errorOf = async (fields: object) => {
      const answer = await chat.say('?', { ...fields })
      expect(answer.status).toBe(400)
      return errorIn(await answer.json())
    }
    expect(await errorOf({ tools })).toMatch('`tools` must not be set')
    for (const name of ['max_tokens', 'max_completion_tokens'])
      expect(await errorOf({ [name]: 5 })).toMatch(
        '`max_tokens` or `max_completion_tokens` must not be set',
      )
    const { post, refused } = responsesOf(chat)
    expect(await refused(await post({ input: 'Hi', max_output_tokens: 50 }), 400)).toMatchObject({
      param: 'max_output_tokens',
    })
    expect(await errorOf({ response_format: { type: 'json_object' } })).toMatch('`response_format`')
    expect((await chat.say('?', { top_p: 0.5 })).status).toBe(200)
    expect(chat.model.requests).toHaveLength(1)
  })

  test.each(providers)(
    'is refused by name when models of %s cannot honour it',
    async (name, variable) => {
      const chat = await open({ environment: { [`${variable}_API_KEY`]: 'k' } })
      const { app_name_id: model, key } = await chat.makeAgent({
        model: `${name}/claude-or-gemini`,
      })
      const answer = await chat.post(
        { model, messages: [{ role: 'user', content: '?' }], logit_bias: { 5: 1 } },
        { authorization: `Bearer ${key}` },
      )
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual({
        error: `\`logit_bias\` is not supported by the model of "${model}"`,
      })
    },
  )

  test.each(providers)(
    'reaches models of %s, and what their package would leave out is refused',
    async (name, variable) => {
      const chat = await open()
      const environment = {
        [`${variable}_API_KEY`]: 'k',
        [`${variable}_BASE_URL`]: chat.model.origin,
      }
      const other = await open({ environment })
      const { app_name_id: model, key } = await other.makeAgent({ model: `${name}/some-model` })
      const say = (fields: object) =>
        other.post(
          { model, messages: [{ role: 'user', content: '?' }], ...fields },
          { authorization: `Bearer ${key}` },
        )
      expect((await say({ top_p: 0.5, stop: 'END', max_tokens: 5 })).status).toBe(200)
      const sent = JSON.stringify(chat.model.requests[0]?.body)
      expect(sent).toContain('"END"')
      expect(sent).toContain('0.5')
      if (name !== 'anthropic') return
      for (const stream of [false, true]) {
        const clamped = await say({ temperature: 1.5, stream })
        expect(clamped.status).toBe(400)
        expect(errorIn(await clamped.json())).toMatch('`temperature` is not supported')
      }
    },
  )

  test('is refused by name when a package would turn a choice of tools into another one', async () => {
    const { model: server } = await open()
    const chat = await open({
      environment: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.origin },
    })
    const { app_name_id: model, key } = await chat.makeAgent({ model: 'anthropic/claude-opus-5-5' })
    const messages = [{ role: 'user', content: '?' }]
    for (const stream of [false, true]) {
      const refused = await chat.post(
        { model, messages, tools, tool_choice: 'required', stream },
        { authorization: `Bearer ${key}` },
      )
      expect(refused.status).toBe(400)
      expect(errorIn(await refused.json())).toMatch('`tool_choice` is not supported')
    }
  })

  test('is refused by name when Ollama would ignore it', async () => {
    const chat = await open({ environment: {} })
    const other = await open({ environment: { OLLAMA_BASE_URL: chat.model.origin } })
    const { app_name_id: model, key } = await other.makeAgent({ model: 'ollama/llama3.2' })
    const messages = [{ role: 'user', content: '?' }]
    const post = (fields: object) =>
      other.post({ model, messages, ...fields }, { authorization: `Bearer ${key}` })
    for (const [name, fields] of [
      ['tool_choice', { tools, tool_choice: 'required' }],
      ['parallel_tool_calls', { tools, parallel_tool_calls: false }],
      ['logit_bias', { logit_bias: { 5: 1 } }],
      ['verbosity', { verbosity: 'low' }],
    ] as const) {
      const refused = await post(fields)
      expect(refused.status).toBe(400)
      expect(errorIn(await refused.json())).toMatch(`\`${name}\` is not supported`)
    }
    expect(chat.model.requests).toHaveLength(0)
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }
    const called = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'warm' },
    ]
    expect((await post({ tools, tool_choice: 'auto' })).status).toBe(200)
    expect((await post({ messages: called, tools, tool_choice: 'none' })).status).toBe(200)
    const [free, idle] = chat.model.requests.map(({ body }) => body)
    expect(free).toMatchObject({ tools: [{ type: 'function' }] })
    expect(idle).not.toHaveProperty('tools')
  })

  test('is refused by name when the provider names it, and only if the caller set it', async () => {
    const refusal = { error: { message: 'no', param: 'temperature', code: 'unsupported_value' } }
    const server = await startServer((response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(refusal))
    })
    const chat = await open({ server })
    expect((await chat.say('?', { temperature: 0.2 })).status).toBe(400)
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { temperature: 0.2 })
    expect((await chat.say('?')).status).toBe(502)
  })

  test('ends a quotation of the built-in model at a stop', async () => {
    const chat = await open()
    const { app_name_id: model, key } = await chat.makeAgent({ model: 'local/extractive' })
    const answer = await chat.post(
      { model, messages: [{ role: 'user', content: 'hello' }], stop: ' I answer', temperature: 1 },
      { authorization: `Bearer ${key}` },
    )
    expect((await answerOf(answer)).choices[0].message.content).toBe('Hello!')
  })
})

function errorIn(body: unknown): unknown {
  // The body of a refusal.
  return (body as { error?: unknown }).error
}
