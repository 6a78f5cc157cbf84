import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import { addAction, openWithToolCalls } from '#test/support/chat/agent-with-actions.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { startServer } from '#test/support/servers/model-server.ts'
import { bodyOf, expectOfficial, responsesOf, textOf } from '#test/support/chat/open-responses.ts'

const lookUp = {
  type: 'function',
  name: 'look_up',
  description: 'Looks a word up',
  parameters: { type: 'object', properties: { word: { type: 'string' } } },
}
const made = { name: 'look_up', arguments: { word: 'tea' } }
const wire = {
  id: 'call_0',
  type: 'function',
  function: { name: 'look_up', arguments: '{"word":"tea"}' },
}
const question = { role: 'user', content: 'What is tea?' }
const waiting = { role: 'assistant', content: null, tool_calls: [wire] }
const result = { role: 'tool', tool_call_id: 'call_0', content: 'a drink' }
const output = { type: 'function_call_output', call_id: 'call_0', output: 'a drink' }

const sent = ({ model }: ChatService, n: number) => model.requests[n]?.body

describeChat('the caller’s tools in responses', (open) => {
  test('a call is an item, and its result continues the response', async () => {
    const service = await openWithToolCalls(open, [[made]])
    const { create, get, call } = responsesOf(service)
    const first = await create({
      input: 'What is tea?',
      tools: [lookUp],
      tool_choice: { type: 'function', name: 'look_up' },
      parallel_tool_calls: false,
    })
    expect(first).toMatchObject({
      status: 'completed',
      tools: [{ ...lookUp, strict: null }],
      tool_choice: { type: 'function', name: 'look_up' },
      output: [
        {
          type: 'function_call',
          id: expect.stringMatching(/^fc_/),
          call_id: 'call_0',
          name: 'look_up',
          arguments: '{"word":"tea"}',
          status: 'completed',
        },
      ],
    })
    expect((await get(first.id)).output).toEqual(first.output)
    expect(sent(service, 0)).toMatchObject({
      tools: [{ type: 'function', function: { name: 'look_up' } }],
      tool_choice: { type: 'function', function: { name: 'look_up' } },
      parallel_tool_calls: false,
    })
    const last = await create({ input: [output], previous_response_id: first.id, tools: [lookUp] })
    expect(textOf(last)).toBe('Done.')
    expect(sent(service, 1)?.messages).toEqual([question, waiting, result])
    const listed = await bodyOf<{ data: object[] }>(
      await call('GET', `/responses/${last.id}/input_items`),
      200,
    )
    expect(listed.data).toMatchObject([{ ...output, id: expect.stringMatching(/^fco_/) }])
    for (const item of listed.data) expectOfficial('ItemField', item)
  })

  test('continues with the whole history, and with a call named by its id', async () => {
    const service = await openWithToolCalls(open, [[made]])
    const { create } = responsesOf(service)
    const first = await create({ input: 'What is tea?', tools: [lookUp] })
    const asked = { type: 'message', ...question }
    const item = { type: 'function_call', call_id: 'call_0', ...wire.function }
    await create({ input: [asked, item, output], tools: [lookUp] })
    const reference = { type: 'item_reference', id: first.output[0]?.id }
    await create({ input: [asked, reference, output], tools: [lookUp] })
    const messages = [question, waiting, result]
    expect([sent(service, 1)?.messages, sent(service, 2)?.messages]).toEqual([messages, messages])
  })

  test('whatever is stored in the session that a request continues can be named by its id', async () => {
    const service = await openWithToolCalls(open, [[made]])
    const { call, create, post, refused } = responsesOf(service)
    const { id } = await create({ input: 'What is tea?', tools: [lookUp] })
    const last = await create({ input: [output], previous_response_id: id, tools: [lookUp] })
    const conversation = last.conversation?.id
    const path = `/conversations/${conversation}/items?order=asc`
    const { data } = await bodyOf<{ data: { id: string; type: string }[] }>(
      await call('GET', path),
      200,
    )
    const types = ['message', 'function_call', 'function_call_output', 'message']
    expect(data.map(({ type }) => type)).toEqual(types)
    const references = data.map((item) => ({ type: 'item_reference', id: item.id }))
    const asks = (content: string) => ({ type: 'message', role: 'user', content })
    const history = [question, waiting, result, { role: 'assistant', content: 'Done.' }]
    const asked = {
      input: [asks('Look back:'), ...references, asks('And coffee?')],
      tools: [lookUp],
      store: false,
    }
    for (const more of [{ conversation }, { previous_response_id: last.id }])
      await create({ ...asked, ...more })
    for (const n of [2, 3])
      expect(sent(service, n)?.messages).toEqual([
        ...history,
        { role: 'user', content: 'Look back:' },
        ...history,
        { role: 'user', content: 'And coffee?' },
      ])
    // In another session, for another agent, or with an id that nothing has.
    const other = await create({ input: 'Else?' })
    const unknown = `msg_${newId().replaceAll('-', '')}`
    const requests = [
      await post({ ...asked, conversation: other.conversation?.id }),
      await post(asked),
      await post({ input: [{ type: 'item_reference', id: unknown }], conversation }),
    ]
    const stranger = await service.makeAgent({ name: 'Other' })
    const theirs = responsesOf({ ...service, agent: stranger, key: stranger.key })
    requests.push(await theirs.post({ input: references.slice(3) }))
    for (const response of requests)
      expect(await refused(response, 400)).toMatchObject({
        type: 'invalid_request',
        param: expect.stringMatching(/^input\[[01]\]\.id$/),
      })
  })

  test('are streamed as items with their arguments', async () => {
    const service = await openWithToolCalls(open, [[made, { ...made, id: 'call_b' }]])
    const { stream, get } = responsesOf(service)
    const events = await stream({ input: 'What is tea?', tools: [lookUp] })
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      // Some clients know one call at a time, so each ends before the next one.
      ...Array.from({ length: 2 }, () => [
        'output_item.added',
        'function_call_arguments.delta',
        'function_call_arguments.done',
        'output_item.done',
      ]).flat(),
      'completed',
    ])
    expect(events.map(({ output_index: n }) => n ?? null).filter((n) => n !== null)).toEqual([
      0, 0, 0, 0, 1, 1, 1, 1,
    ])
    const { response } = events.at(-1) ?? {}
    expect((await get(response?.id ?? '')).output).toEqual(response?.output)
  })

  test('a text before the calls is a commentary', async () => {
    const toolCalls = [made]
    const service = await open({ model: { script: () => ({ reply: 'Let me see.', toolCalls }) } })
    const { stream } = responsesOf(service)
    const events = await stream({ input: 'What is tea?', tools: [lookUp] })
    expect(events.at(-1)?.response?.output).toMatchObject([
      { type: 'message', phase: 'commentary', content: [{ text: 'Let me see.' }] },
      { type: 'function_call', call_id: expect.any(String) },
    ])
  })

  test.each([false, true])(
    'with the name of an action are refused before anything is stored (background: %s)',
    async (background) => {
      const service = await openWithToolCalls(open, [])
      await addAction(service, { url: 'http://127.0.0.1:9', name: 'look_up' })
      const { post, refused } = responsesOf(service)
      const error = await refused(await post({ input: 'Hi', tools: [lookUp], background }), 400)
      expect(error).toMatchObject({ code: 'tool_name_taken', param: 'tools' })
      const { read } = service.ctx.db
      expect(await read.selectFrom('chat_sessions').select('id').execute()).toEqual([])
      expect(service.model.requests).toEqual([])
    },
  )

  test('have no empty message before them when the server ignores `stream`', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const message = { role: 'assistant', content: null, tool_calls: [wire] }
      response.end(
        JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
      )
    })
    const { stream } = responsesOf(await open({ server }))
    const events = await stream({ input: 'What is tea?', tools: [lookUp] })
    const added = events.filter(({ type }) => type === 'response.output_item.added')
    expect(added).toMatchObject([{ output_index: 0, item: { type: 'function_call' } }])
    expect(events.at(-1)?.response?.output).toMatchObject([{ type: 'function_call' }])
  })
})

describeChat('options of a response', (open) => {
  test('sampling and length reach the model and are repeated', async () => {
    const service = await open()
    const { create } = responsesOf(service)
    const wanted = { temperature: 0.5, top_p: 0.9, max_output_tokens: 50 }
    const response = await create({ input: 'hello', ...wanted, reasoning: { effort: 'low' } })
    expect(response).toMatchObject({ ...wanted, reasoning: { effort: 'low' } })
    expect(sent(service, 0)).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      reasoning_effort: 'low',
    })
    expect(JSON.stringify(sent(service, 0))).toMatch(/"max_(?:completion_)?tokens":50/)
  })

  test('text.format requests JSON, which the model must produce', async () => {
    const service = await open({ model: { reply: '{"ok":true}' } })
    const { call, create } = responsesOf(service)
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
    const format = { type: 'json_schema', name: 'verdict', schema, strict: true }
    const response = await create({ input: 'hello', text: { format } })
    expect(textOf(response)).toBe('{"ok":true}')
    expect(response.text).toMatchObject({ format: { type: 'json_schema', name: 'verdict' } })
    const model = service.agent.app_name_id
    const text = { format: { type: 'json_object' } }
    const plain = await call('POST', '/responses', { model, input: 'hello', text })
    expect((await bodyOf(plain, 200)).text).toEqual(text)
  })

  test('an answer in another form than text.format is refused by that name', async () => {
    const service = await open({ model: { reply: 'It is fine.' } })
    const { call, refused } = responsesOf(service)
    // OpenAI's form, which the official document does not define.
    const text = { format: { type: 'json_object' } }
    const body = { model: service.agent.app_name_id, input: 'hello', text }
    expect(await refused(await call('POST', '/responses', body), 502)).toMatchObject({
      code: 'answer_not_in_format',
      message: 'The answer of the model does not match `text.format`',
    })
  })

  test('what the agent does not allow is refused by its name here', async () => {
    const service = await open()
    const { ctx, owner, agent } = service
    await updateAgent(ctx, owner, agent.id, { allow_request_overrides: [] })
    const { post, refused } = responsesOf(service)
    const format = { type: 'json_schema', name: 'x', schema: {} }
    const cases = [
      [{ temperature: 1 }, 'temperature'],
      [{ max_output_tokens: 20 }, 'max_output_tokens'],
      [{ tools: [lookUp] }, 'tools'],
      [{ text: { format } }, 'text.format'],
      [{ text: { verbosity: 'low' } }, 'text.verbosity'],
      [{ reasoning: { effort: 'low' } }, 'reasoning.effort'],
    ] as const
    for (const [fields, param] of cases) {
      const error = await refused(await post({ input: 'hello', ...fields }), 400)
      expect(error).toMatchObject({ code: 'field_forbidden', param })
    }
    expect(service.model.requests).toEqual([])
  })

  test('wrong values are named', async () => {
    const service = await open()
    const { call, refused } = responsesOf(service)
    const cases = [
      [{ temperature: 3 }, 'temperature'],
      [{ max_output_tokens: 0 }, 'max_output_tokens'],
      [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
      [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
      [{ tool_choice: 'required' }, 'tool_choice'],
      [{ tools: [lookUp], tool_choice: { type: 'function', name: 'other' } }, 'tool_choice'],
      [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
      [{ reasoning: { effort: 'endless' } }, 'reasoning.effort'],
      [{ background: true, store: false }, 'background'],
      [{ input: [{ type: 'function_call', call_id: 'c', name: 'x' }] }, 'input[0].arguments'],
      [{ input: [{ type: 'function_call_output', output: '' }] }, 'input[0].call_id'],
      [{ input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input[0].encrypted_content'],
    ] as const
    const model = service.agent.app_name_id
    for (const [fields, param] of cases) {
      const response = await call('POST', '/responses', { model, input: 'hello', ...fields })
      expect(await refused(response, 400)).toMatchObject({ code: 'invalid_value', param })
    }
    expect(service.model.requests).toEqual([])
  })
})
