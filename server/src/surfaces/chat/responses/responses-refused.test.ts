import { expect, test } from 'vitest'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { expectInContract, responsesOf } from '#test/support/chat/open-responses.ts'
import { startMisbehavingModelServer } from '#test/support/servers/misbehaving-model-server.ts'

describeChat('refused responses', (open) => {
  test('what is missing, unknown or not supported is named, and nothing is stored', async () => {
    const service = await open()
    const { call, refused } = responsesOf(service)
    const model = service.agent.app_name_id
    const cases: readonly (readonly [object, string | null, string])[] = [
      [{ input: 'hello' }, 'model', 'missing_required_parameter'],
      [{ model: null, input: 'hello' }, 'model', 'missing_required_parameter'],
      [{ model }, 'input', 'invalid_value'],
      [{ model, input: [] }, 'input', 'invalid_value'],
      [
        { model, input: [{ type: 'message', role: 'critic', content: '' }] },
        'input[0].role',
        'invalid_value',
      ],
      [{ model, input: [{ type: 'thought', summary: [] }] }, 'input[0].type', 'invalid_value'],
      [{ model, input: [{ type: 'reasoning', summary: [] }] }, 'input', 'invalid_value'],
      [
        { model, input: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
        'input[0].content[0].type',
        'invalid_value',
      ],
      ...['system', 'developer', 'assistant'].map((role) => {
        const content = [{ type: 'input_image', image_url: 'https://example.com/a.png' }]
        return [
          { model, input: [{ role, content }] },
          'input[0].content[0]',
          'invalid_value',
        ] as const
      }),
      [{ model, input: 'hello', max_tool_calls: 3 }, 'max_tool_calls', 'invalid_value'],
      [{ model, input: 'hello', truncation: 'disabled' }, 'truncation', 'invalid_value'],
      [
        { model, input: 'hello', include: ['message.output_text.logprobs'] },
        'include',
        'invalid_value',
      ],
      [{ model, input: 'hello', service_tier: 'flex' }, 'service_tier', 'invalid_value'],
      [{ model, input: 'hello', prompt: { id: 'pmpt_1' } }, 'prompt', 'invalid_value'],
      [{ model, input: 'hello', metadata: { a: 1 } }, 'metadata', 'invalid_value'],
      [{ model, input: 'hello', user: 'x'.repeat(513) }, 'user', 'invalid_value'],
      [{ model, input: 'hello', messages: [] }, 'messages', 'invalid_value'],
      ...[{ async: true }, { defer_loading: true }, { allowed_callers: ['programmatic'] }].map(
        (field) => {
          const tools = [{ type: 'function', name: 'look_up', ...field }]
          const at = `tools[0].${Object.keys(field)[0]}`
          return [{ model, input: 'hello', tools }, at, 'invalid_value'] as const
        },
      ),
      [{ model, input: 'hello', toString: 1 }, 'toString', 'invalid_value'],
      [
        { model, input: 'hello', conversation: 'conv_1', previous_response_id: 'resp_1' },
        'conversation',
        'invalid_value',
      ],
    ]
    for (const [body, param, code] of cases) {
      const error = await refused(await call('POST', '/responses', body), 400)
      expect(error).toMatchObject({ type: 'invalid_request', code, param })
    }
    expect(service.model.requests).toEqual([])
    expect(await service.ctx.db.read.selectFrom('chat_messages').selectAll().execute()).toEqual([])
  })

  test('what reading one cannot include is named', async () => {
    const { call, create, refused } = responsesOf(await open())
    const { id } = await create({ input: 'hello' })
    const get = (query: string) => call('GET', `/responses/${id}?${query}`)
    for (const [query, param] of [
      ['include=message.output_text.logprobs', 'include'],
      ['include[]=reasoning.encrypted_content&include[]=web_search_call.results', 'include'],
      ['include_obfuscation=true', 'include_obfuscation'],
    ] as const)
      expect(await refused(await get(query), 400)).toMatchObject({ code: 'invalid_value', param })
    const allowed = 'include[]=reasoning.encrypted_content&include_obfuscation=false'
    expect((await get(allowed)).status).toBe(200)
  })

  test('what a stored response repeats of its request is bounded', async () => {
    const service = await open({ environment: { MAX_REPEATED_BYTES: '1000' } })
    const { post, refused } = responsesOf(service)
    const long = { input: 'hello', metadata: { a: 'x'.repeat(500), b: '\u00e9'.repeat(300) } }
    for (const background of [false, true]) {
      const error = await refused(await post({ ...long, background }), 400)
      expect(error.message).toMatch(/must not be larger than 1000 bytes$/)
    }
    expect((await post({ ...long, store: false })).status).toBe(200)
    expect((await post({ input: 'hello'.repeat(1000) })).status).toBe(200)
  })

  test('keys, agents, paths and plans are refused as in chat completions, in the official shape', async () => {
    const service = await open()
    const { call, post, refused } = responsesOf(service)
    const body = { model: service.agent.app_name_id, input: 'hello' }
    const stranger = await call('POST', '/responses', body, {
      authorization: 'Bearer svc_ck_wrong',
    })
    expect(await refused(stranger, 401)).toMatchObject({
      code: 'invalid_api_key',
      message: 'Invalid API key',
    })
    expect(await refused(await post({ model: 'nobody-1', input: 'hi' }), 404)).toMatchObject({
      type: 'not_found',
      code: 'model_not_found',
    })
    const put = await call('PUT', '/responses/resp_1')
    expect(put.headers.get('allow')).toBe('GET, HEAD, DELETE, OPTIONS')
    expect((await refused(put, 405)).code).toBe('method_not_allowed')
    expect((await refused(await call('GET', '/responses/resp_1/nothing'), 404)).type).toBe(
      'not_found',
    )
    const free = await open({ plan: 'free' })
    expect((await responsesOf(free).post({ input: 'hello' })).status).toBe(401)
  })

  test.each([
    ['no JSON', 400, 'application/json', '{"model":'],
    ['another content type', 415, 'text/plain', '{}'],
    ['too large', 413, 'application/json', JSON.stringify({ input: 'x'.repeat(2_000) })],
  ])(
    'a body that is %s is refused with %i in the official shape',
    async (_, status, type, body) => {
      const service = await open({ environment: { MAX_BODY_BYTES: '1024' } })
      const headers = { authorization: `Bearer ${service.key}`, 'content-type': type }
      const asked = { method: 'POST', headers, body }
      const response = await service.app.request('/api/v1/responses', asked)
      await expectInContract('POST', '/responses', response)
      expect(await responsesOf(service).refused(response, status)).toMatchObject({
        type: 'invalid_request',
        param: null,
      })
    },
  )

  test('a provider that fails is a model_error; after the first event, response.failed', async () => {
    const server = await startMisbehavingModelServer('cuts mid-stream')
    const service = await open({ server })
    const { post, stream, get } = responsesOf(service)
    const events = await stream({ input: 'hello' })
    // The message that had begun is ended first, as in a stream of a background response.
    expect(events.slice(-5).map(({ type }) => type.replace('response.', ''))).toEqual([
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'failed',
    ])
    expect(events.at(-2)?.item).toEqual(events.at(-1)?.response?.output[0])
    const { type, response } = events.at(-1) ?? {}
    expect([type, response?.status, response?.error?.code]).toEqual([
      'response.failed',
      'failed',
      'model_bad_answer',
    ])
    expect(await get(response?.id ?? '')).toMatchObject({
      status: 'failed',
      error: response?.error,
    })
    const { error } = (await (await post({ input: 'hello' })).json()) as { error: object } // Official shape.
    expect(error).toMatchObject({ type: 'model_error' })
  })
})
