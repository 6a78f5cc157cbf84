import { describe, expect, test } from 'vitest'
import { exportConversations } from '#features/conversations/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import {
  addAction,
  cityParameter,
  loopback,
  openWithToolCalls,
} from '#test/support/chat/agent-with-actions.ts'
import { answerOf, describeChat, readFrames } from '#test/support/chat/chat-service.ts'
import type { ModelServer } from '#test/support/servers/model-server.ts'
import { startRemoteMcpServer } from '#test/support/servers/remote-mcp-server.ts'
import { actorOf } from '#test/support/test-instance.ts'

const lookUp = {
  type: 'function',
  function: {
    name: 'look_up',
    description: 'Looks a word up',
    parameters: { type: 'object', properties: { word: { type: 'string' } } },
  },
}
const call = { name: 'look_up', arguments: { word: 'tea' } }
const wire = {
  id: 'call_0',
  type: 'function',
  function: { name: 'look_up', arguments: '{"word":"tea"}' },
}
const question = { role: 'user', content: 'What is tea?' }
const waiting = { role: 'assistant', content: null, tool_calls: [wire] }
const result = { role: 'tool', tool_call_id: 'call_0', content: 'a drink' }

/** The messages of the `n`th request to the model. */
const sent = ({ model }: { model: ModelServer }, n: number) => model.requests[n]?.body.messages

describeChat('the caller’s tools', (open) => {
  describe('are called by the caller, and the turn continues with the results', () => {
    test('in the same session', async () => {
      const chat = await openWithToolCalls(open, [[call]])
      const first = await chat.post({
        model: chat.agent.app_name_id,
        messages: [question],
        tools: [lookUp],
        tool_choice: 'required',
        parallel_tool_calls: false,
      })
      const answer = await answerOf(first)
      expect(answer.choices).toEqual([
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [wire] },
          finish_reason: 'tool_calls',
        },
      ])
      expect(chat.model.requests[0]?.body).toMatchObject({
        tools: [lookUp],
        tool_choice: 'required',
        parallel_tool_calls: false,
      })
      const { chatSessionId } = answer
      const continued = { model: chat.agent.app_name_id, messages: [result], chatSessionId }
      const last = await answerOf(chat.post({ ...continued, tools: [lookUp] }))
      expect(last.choices[0].message.content).toBe('Done.')
      expect(sent(chat, 1)).toEqual([question, waiting, result])
    })

    test('with the whole history instead of a session, and with both', async () => {
      const chat = await openWithToolCalls(open, [[call]])
      const model = chat.agent.app_name_id
      const { chatSessionId } = await answerOf(chat.say('What is tea?', { tools: [lookUp] }))
      const history = { model, messages: [question, waiting, result], tools: [lookUp] }
      expect((await chat.post(history)).status).toBe(200)
      expect(sent(chat, 1)).toEqual([question, waiting, result])
      // What the session knows is not added again.
      expect((await chat.post({ ...history, chatSessionId })).status).toBe(200)
      expect(sent(chat, 2)).toEqual([question, waiting, result])
    })

    test.each(['anthropic', 'google'])('with a model of %s', async (provider) => {
      const model = await openWithToolCalls(open, [[call]])
      const chat = await open({
        environment: {
          [`${provider.toUpperCase()}_API_KEY`]: 'k',
          [`${provider.toUpperCase()}_BASE_URL`]: model.model.origin,
        },
      })
      const { app_name_id: name, key } = await chat.makeAgent({ model: `${provider}/some-model` })
      const post = (body: object) =>
        chat.post({ model: name, tools: [lookUp], ...body }, { authorization: `Bearer ${key}` })
      const choice = { type: 'function', function: { name: 'look_up' } }
      const first = await answerOf(post({ messages: [question], tool_choice: choice }))
      expect(first).toMatchObject({
        choices: [
          { finish_reason: 'tool_calls', message: { tool_calls: [{ function: wire.function }] } },
        ],
      })
      const [made] = (first.choices[0].message as unknown as typeof waiting).tool_calls
      const { chatSessionId } = first
      const results = [{ ...result, tool_call_id: made?.id }]
      expect((await post({ messages: results, chatSessionId })).status).toBe(200)
      const [asked, continued] = model.model.requests.map(({ body }) => JSON.stringify(body))
      expect(asked).toMatch(provider === 'google' ? /allowedFunctionNames/ : /"type":"tool"/)
      expect(continued).toContain('a drink')
    })
  })

  test('are streamed as OpenAI streams them', async () => {
    const chat = await openWithToolCalls(open, [[call, { ...call, id: 'call_b' }]])
    const frames = await readFrames(await chat.say('?', { tools: [lookUp], stream: true }))
    const deltas = frames.slice(0, -1).map(({ choices }) => (choices as [{ delta: unknown }])[0])
    const delta = (index: number, more: object) => ({
      index: 0,
      delta: { tool_calls: [{ index, ...more }] },
      finish_reason: null,
    })
    const begun = { name: 'look_up', arguments: '' }
    const written = { function: { arguments: '{"word":"tea"}' } }
    expect(deltas).toEqual([
      { index: 0, delta: { role: 'assistant', content: null }, finish_reason: null },
      delta(0, { id: 'call_0', type: 'function', function: begun }),
      delta(0, written),
      delta(1, { id: 'call_b', type: 'function', function: begun }),
      delta(1, written),
      { index: 0, delta: {}, finish_reason: 'tool_calls' },
    ])
    expect(frames.at(-1)).toEqual({ done: true })
  })

  test('that the caller never ran are answered for it, so that the session continues', async () => {
    const chat = await openWithToolCalls(open, [[call]])
    const { chatSessionId } = await answerOf(chat.say('What is tea?', { tools: [lookUp] }))
    expect((await chat.say('Never mind', { chatSessionId })).status).toBe(200)
    expect(sent(chat, 1)).toEqual([
      question,
      waiting,
      { ...result, content: 'The caller sent no result of this call.' },
      { role: 'user', content: 'Never mind' },
    ])
  })

  test('are shown in the conversation and in exports', async () => {
    const chat = await openWithToolCalls(open, [[call]])
    const long = 'tea '.repeat(5_000)
    const tool_calls = [{ ...wire, id: 'old', function: { name: 'look_up', arguments: long } }]
    const messages = [
      question,
      { role: 'assistant', content: 'So:', tool_calls },
      { ...result, tool_call_id: 'old' },
    ]
    const { chatSessionId } = await answerOf(
      chat.post({ model: chat.agent.app_name_id, messages, tools: [lookUp] }),
    )
    const conversation = await runOperation(
      chat.ctx,
      actorOf(chat.owner),
      findOperation('get_conversation')!,
      { session_id: chatSessionId, limit: 100 },
    )
    const shown = [
      { caller_calls: [], tool_call_id: null },
      { caller_calls: [{ id: 'old', name: 'look_up', arguments: long }], tool_call_id: null },
      { caller_calls: [], tool_call_id: 'old', content: 'a drink' },
      { caller_calls: [{ id: 'call_0', name: 'look_up', arguments: '{"word":"tea"}' }] },
    ]
    expect(conversation.messages).toMatchObject({ items: shown })
    const pieces = await exportConversations(chat.ctx, chat.owner.workspaceId, {
      appId: chat.agent.id,
      format: 'jsonl',
    })
    const lines = (await Array.fromAsync(pieces)).join('').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      shown.map(({ caller_calls: calls, tool_call_id: id = null }) => ({
        caller_calls: calls.length === 0 ? null : JSON.stringify(calls),
        tool_call_id: id,
      })),
    )
  })

  describe('beside the agent’s own actions', () => {
    const weather = { name: 'get_weather', arguments: { city: 'Bern' }, id: 'own' }
    const openBoth = async (...rounds: Parameters<typeof openWithToolCalls>[1]) => {
      const api = await startActionServer(json({ degrees: 21 }))
      const chat = await openWithToolCalls(open, rounds)
      await addAction(chat, { url: api.origin, parameters: [cityParameter] })
      return { chat, api }
    }

    test('leave the actions to the server, whose results the model keeps', async () => {
      const { chat, api } = await openBoth([weather], [{ ...weather, id: 'own_2' }, call])
      const first = await answerOf(chat.say('What is tea?', { tools: [lookUp] }))
      expect(first.choices[0].message).toMatchObject({
        content: null,
        tool_calls: [{ id: 'call_1', function: wire.function }],
      })
      expect(api.requests).toHaveLength(2)
      const { chatSessionId } = first
      const messages = [{ ...result, tool_call_id: 'call_1' }]
      const model = chat.agent.app_name_id
      const last = await answerOf(chat.post({ model, messages, chatSessionId, tools: [lookUp] }))
      expect(last.choices[0].message.content).toBe('Done.')
      expect(api.requests).toHaveLength(2)
      const read = sent(chat, 2) as { role: string; tool_call_id?: string }[]
      expect(read.map(({ role, tool_call_id: id }) => id ?? role)).toEqual([
        'system',
        'user',
        'assistant',
        'own',
        'assistant',
        'own_2',
        'call_1',
      ])
    })

    test('cannot have the name of an action', async () => {
      const { chat } = await openBoth()
      const tools = [{ type: 'function', function: { name: 'get_weather' } }]
      const refused = await chat.say('?', { tools })
      expect(refused.status).toBe(400)
      expect((await answerOf(refused)).error).toMatch('`tools` must not name a tool get_weather')
      expect(chat.model.requests).toHaveLength(0)
    })

    describe.each([false, true])('cannot have the name of a remote tool (stream: %s)', (stream) => {
      async function openRemote() {
        const remote = await startRemoteMcpServer('modern')
        const chat = await open({ environment: loopback })
        const { ctx, owner, agent } = chat
        const server = { app_id: agent.id, name: 'remote', url: remote.url }
        await runOperation(ctx, actorOf(owner), findOperation('add_mcp_server')!, server)
        const tools = [{ type: 'function', function: { name: 'remote__add' } }]
        const refused = () => chat.say('?', { tools, stream })
        return { chat, remote, refused }
      }
      const problem = '`tools` must not name a tool remote__add'

      test('that is known: nothing is stored', async () => {
        const { chat, refused } = await openRemote()
        const response = await refused()
        expect([response.status, (await answerOf(response)).error]).toEqual([
          400,
          expect.stringContaining(problem),
        ])
        const { read } = chat.ctx.db
        expect(await read.selectFrom('chat_sessions').select('id').execute()).toEqual([])
        expect(chat.model.requests).toHaveLength(0)
      })

      test('that its server has only now', async () => {
        const { chat, remote, refused } = await openRemote()
        await chat.ctx.db.write((tx) =>
          tx.updateTable('tool_servers').set({ tools_json: '[]', listed_at: 0 }).execute(),
        )
        const response = await refused()
        expect([response.status, (await answerOf(response)).error]).toEqual([
          400,
          expect.stringContaining(problem),
        ])
        expect(remote.listed()).toBe(2)
        expect(chat.model.requests).toHaveLength(0)
      })
    })

    test('are not offered with the choice none', async () => {
      const { chat } = await openBoth()
      await chat.say('?', { tools: [lookUp], tool_choice: 'none' })
      const { tools } = chat.model.requests[0]!.body as { tools: { function: { name: string } }[] }
      expect(tools.map((tool) => tool.function.name)).toEqual(['get_weather'])
    })

    test('wait while the user must confirm an action', async () => {
      const api = await startActionServer(json({}))
      const chat = await openWithToolCalls(open, [[{ name: 'order', id: 'own' }, call]])
      await addAction(chat, { name: 'order', url: api.origin, requires_confirmation: true })
      const answer = await answerOf(chat.say('Order tea', { tools: [lookUp] }))
      expect(answer.choices[0].message.content).toMatch(/^Done\.\n\n/)
      expect(answer.choices[0].message).not.toHaveProperty('tool_calls')
      expect((sent(chat, 1) as object[]).at(-1)).toMatchObject({
        tool_call_id: 'call_1',
        content: expect.stringMatching(/^Not done/),
      })
      expect(api.requests).toHaveLength(0)
    })
  })

  test('are refused by the built-in model', async () => {
    const chat = await open({ environment: loopback })
    const { app_name_id: model, key } = await chat.makeAgent({ model: 'local/extractive' })
    const refused = await chat.post(
      { model, messages: [question], tools: [lookUp] },
      { authorization: `Bearer ${key}` },
    )
    expect(await answerOf(refused)).toEqual({
      error: `\`tools\` is not supported by the model of "${model}"`,
    })
  })
})
