import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { eraseEndUser } from '#features/analytics/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { bodyOf, expectOfficial, responsesOf, textOf } from '#test/support/chat/open-responses.ts'

const count = async ({ ctx }: ChatService, table: 'chat_messages' | 'chat_responses') =>
  (await ctx.db.read.selectFrom(table).selectAll().execute()).length

/** What the model was sent by its `n`th request. */
const sent = ({ model }: ChatService, n: number) => model.requests[n]?.body.messages

const user = (content: string) => ({ role: 'user', content })
const answer = (content: string) => ({ role: 'assistant', content })

describeChat('responses', (open) => {
  test('a text is answered with a completed message, usage and the agent’s defaults', async () => {
    const service = await open({ model: { reply: 'Good day' } })
    const { create } = responsesOf(service)
    const response = await create({ input: 'hello', metadata: { topic: 'greeting' } })
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      object: 'response',
      status: 'completed',
      model: service.agent.app_name_id,
      completed_at: expect.any(Number),
      metadata: { topic: 'greeting' },
      store: true,
      error: null,
      incomplete_details: null,
      conversation: { id: expect.stringMatching(/^conv_[0-9a-f]{32}$/) },
      output: [
        {
          type: 'message',
          id: expect.stringMatching(/^msg_/),
          role: 'assistant',
          status: 'completed',
          phase: 'final_answer',
          content: [{ type: 'output_text', text: 'Good day', annotations: [] }],
        },
      ],
    })
    expect(response.usage?.total_tokens).toBeGreaterThan(0)
    expect(sent(service, 0)).toEqual([user('hello')])
  })

  test('a stream has numbered events from created to completed, and ends with the response that GET shows', async () => {
    const service = await open({ model: { reply: ['Good ', 'day'] } })
    const { stream, get } = responsesOf(service)
    const events = await stream({ input: [{ type: 'message', role: 'user', content: 'hello' }] })
    expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, n) => n))
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Good day')
    expect([...new Set(events.map(({ type }) => type.replace('response.', '')))]).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    const { response } = events.at(-1) ?? {}
    expect(response).toMatchObject({ status: 'completed', id: events[0]?.response?.id })
    const read = await get(response?.id ?? '')
    expect({ ...read, completed_at: 0 }).toEqual({ ...response, completed_at: 0 })
  })

  test('items of every role, images and phases reach the model in their order', async () => {
    const service = await open()
    const seeing = await service.makeAgent({ model: 'openai/gpt-4o' })
    const { create } = responsesOf({ ...service, agent: seeing, key: seeing.key })
    const image = 'data:image/png;base64,iVBORw0KGgo='
    await create({
      input: [
        { type: 'message', role: 'system', content: 'Be brief.' },
        { type: 'message', role: 'user', content: 'My name is Ada.' },
        { type: 'message', role: 'assistant', phase: 'commentary', content: 'Let me see.' },
        {
          type: 'message',
          role: 'assistant',
          phase: 'final_answer',
          content: [{ type: 'output_text', text: 'Noted.' }],
        },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: image, detail: 'auto' },
          ],
        },
      ],
    })
    expect(sent(service, 0)).toEqual([
      { role: 'system', content: 'Be brief.' },
      user('My name is Ada.'),
      answer('Let me see.'),
      answer('Noted.'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          expect.objectContaining({ type: 'image_url' }),
        ],
      },
    ])
  })

  test('instructions apply to their own response only, if the agent allows them', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { call, create, post, refused } = responsesOf(service)
    const { ctx, owner, agent } = service
    const asked = { input: 'one', instructions: 'Speak like a pirate.' }
    for (const forbidden of [
      await post(asked),
      await post({ ...asked, background: true }),
      await call('POST', '/responses/compact', { model: agent.app_name_id, ...asked }),
    ])
      expect(await refused(forbidden, 400)).toMatchObject({
        code: 'field_forbidden',
        param: 'instructions',
      })
    expect(service.model.requests).toEqual([])
    expect(await count(service, 'chat_responses')).toBe(0)
    await updateAgent(ctx, owner, agent.id, { allow_request_overrides: ['instructions'] })
    const first = await create(asked)
    expect(first.instructions).toBe('Speak like a pirate.')
    const second = await create({ input: 'two', previous_response_id: first.id })
    expect(second).toMatchObject({ instructions: null, previous_response_id: first.id })
    expect(sent(service, 0)).toEqual([
      { role: 'system', content: 'Speak like a pirate.' },
      user('one'),
    ])
    expect(sent(service, 1)).toEqual([user('one'), answer('ok'), user('two')])
  })

  test('empty instructions, which clients send when they have none, are none', async () => {
    const service = await open()
    await responsesOf(service).create({ input: 'one', instructions: '' })
    expect(sent(service, 0)).toEqual([user('one')])
  })

  test('the latest response continues its session; an older one branches and rewrites nothing', async () => {
    const service = await open({ model: { script: (_, n) => ({ reply: `a${n}` }) } })
    const { create, get, call } = responsesOf(service)
    const first = await create({ input: 'one', user: 'ada' })
    const second = await create({ input: 'two', previous_response_id: first.id })
    expect(second.conversation).toEqual(first.conversation)
    const branch = await create({ input: 'other', previous_response_id: first.id })
    expect(branch.conversation).not.toEqual(first.conversation)
    expect(sent(service, 2)).toEqual([user('one'), answer('a0'), user('other')])
    expect(textOf(await get(second.id))).toBe('a1')
    await create({ input: 'more', previous_response_id: branch.id })
    expect(sent(service, 3)).toEqual([
      user('one'),
      answer('a0'),
      user('other'),
      answer('a2'),
      user('more'),
    ])
    const items = await call('GET', `/responses/${branch.id}/input_items`)
    const { data } = await bodyOf<{ data: readonly object[] }>(items, 200)
    expect(data).toMatchObject([{ role: 'user', content: [{ text: 'other' }] }])
    // Erasing the end user must find the branch.
    const sessions = await service.ctx.db.read
      .selectFrom('chat_sessions')
      .select('end_user')
      .execute()
    expect(sessions).toEqual([{ end_user: 'ada' }, { end_user: 'ada' }])
  })

  test('two responses that continue the same one at the same time do not see each other', async () => {
    const service = await open({ model: { script: () => ({ reply: 'ok', firstByteMs: 100 }) } })
    const { create } = responsesOf(service)
    const first = await create({ input: 'one' })
    const both = ['left', 'right'].map((input) => create({ input, previous_response_id: first.id }))
    const [left, right] = await Promise.all(both)
    expect(left?.conversation).not.toEqual(right?.conversation)
    const asked = [sent(service, 1), sent(service, 2)] as { content: string }[][] // As sent.
    expect(asked.map((messages) => messages.map(({ content }) => content)).toSorted()).toEqual([
      ['one', 'ok', 'left'],
      ['one', 'ok', 'right'],
    ])
  })

  test('a conversation continues a session of chat completions', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create } = responsesOf(service)
    const completion = await bodyOf<{ chatSessionId: string }>(await service.say('one'), 200)
    const id = `conv_${completion.chatSessionId.replaceAll('-', '')}`
    const response = await create({ input: 'two', conversation: { id } })
    expect(response.conversation).toEqual({ id })
    expect(sent(service, 1)).toEqual([user('one'), answer('ok'), user('two')])
  })

  test('store: false leaves nothing but the ledger, even where it continues a response', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create, call } = responsesOf(service)
    const unstored = await create({ input: 'forget this', store: false })
    expect(unstored).toMatchObject({ store: false, conversation: null })
    expect((await call('GET', `/responses/${unstored.id}`)).status).toBe(404)
    expect([await count(service, 'chat_messages'), await count(service, 'chat_responses')]).toEqual(
      [0, 0],
    )
    const first = await create({ input: 'one' })
    await create({ input: 'two', store: false, previous_response_id: first.id })
    expect(sent(service, 2)).toEqual([user('one'), answer('ok'), user('two')])
    expect(await count(service, 'chat_messages')).toBe(2)
    const entries = await service.ctx.db.read.selectFrom('credit_entries').selectAll().execute()
    expect(entries).toHaveLength(3)
  })

  test('input items are listed in pages, in both orders', async () => {
    const service = await open()
    const { create, call } = responsesOf(service)
    const input = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }))
    const { id } = await create({ input: input.map((item) => ({ type: 'message', ...item })) })
    type List = { data: { id: string; content: { text: string }[] }[]; has_more: boolean }
    const list = async (query: string) => {
      const page = await bodyOf<List>(
        await call('GET', `/responses/${id}/input_items${query}`),
        200,
      )
      for (const item of page.data) expectOfficial('ItemField', item)
      return { texts: page.data.map(({ content }) => content[0]?.text), ...page }
    }
    expect((await list('')).texts).toEqual(['c', 'b', 'a'])
    const first = await list('?limit=2&order=asc')
    expect(first).toMatchObject({ texts: ['a', 'b'], has_more: true })
    const rest = await list(`?limit=2&order=asc&after=${first.data[1]?.id}`)
    expect(rest).toMatchObject({ texts: ['c'], has_more: false })
    expect((await call('GET', `/responses/${id}/input_items?limit=0`)).status).toBe(400)
  })

  test('an answer that is a stored message can be named by its id', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create } = responsesOf(service)
    const { output } = await create({ input: 'one' })
    const reference = { type: 'item_reference', id: output[0]?.id }
    await create({
      input: [{ type: 'message', ...user('one') }, reference, { type: 'message', ...user('two') }],
    })
    expect(sent(service, 1)).toEqual([user('one'), answer('ok'), user('two')])
  })

  test('erasing an end user deletes the responses of their sessions and branches', async () => {
    const service = await open()
    const { create } = responsesOf(service)
    const first = await create({ input: 'one', user: 'ada' })
    await create({ input: 'two', previous_response_id: first.id })
    await create({ input: 'other', previous_response_id: first.id, user: 'bob' })
    const kept = await create({ input: 'mine', user: 'bob' })
    const { ctx, owner, agent } = service
    const whose = { appId: agent.id, endUser: 'ada' }
    await eraseEndUser(ctx, actorOf(owner), owner.workspaceId, whose)
    const left = await ctx.db.read.selectFrom('chat_responses').select('session_id').execute()
    expect(left.map((row) => `conv_${row.session_id.replaceAll('-', '')}`)).toEqual([
      kept.conversation?.id,
    ])
    expect(await count(service, 'chat_messages')).toBe(2)
  })

  test('a response of another agent is unknown, wherever it is named', async () => {
    const service = await open()
    const { create } = responsesOf(service)
    const { id, conversation } = await create({ input: 'a secret' })
    const other = await service.makeAgent({ name: 'Other' })
    const stranger = responsesOf({ ...service, agent: other, key: other.key })
    const compacted = { model: other.app_name_id, previous_response_id: id }
    for (const [method, path, body] of [
      ['GET', `/responses/${id}`],
      ['GET', `/responses/${id}?stream=true`],
      ['GET', `/responses/${id}/input_items`],
      ['POST', `/responses/${id}/cancel`],
      ['POST', '/responses/compact', compacted],
      ['DELETE', `/responses/${id}`],
    ] as const) {
      const error = await stranger.refused(await stranger.call(method, path, body), 404)
      expect(error).toMatchObject({ type: 'not_found', code: 'response_unknown' })
    }
    const fields = [{ previous_response_id: id }, { conversation: conversation?.id }]
    for (const field of fields) {
      const asked = await stranger.post({ input: 'what was said?', ...field })
      expect((await stranger.refused(asked, 404)).type).toBe('not_found')
    }
    expect(service.model.requests).toHaveLength(1)
    const unknown = await stranger.call('GET', `/responses/resp_${newId().replaceAll('-', '')}`)
    expect(unknown.status).toBe(404)
  })
})
