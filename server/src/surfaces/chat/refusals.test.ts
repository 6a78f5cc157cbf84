import { expect, test } from 'vitest'
import { exportConversations, getConversation } from '#features/conversations/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { addAction, loopback } from '#test/support/chat/agent-with-actions.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
} from '#test/support/chat/chat-service.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'
import { bodyOf, eventsOf, expectOfficial, responsesOf } from '#test/support/chat/open-responses.ts'

const refusal = 'I cannot help with that.'
const refusing: ModelScript = { reply: '', refusal }
const first = (script: ModelScript) => ({
  model: { script: (_: unknown, n: number) => (n === 0 ? script : { reply: 'Gladly.' }) },
})
const part = { type: 'refusal', refusal }
const schema = { type: 'object', properties: { sum: { type: 'integer' } } }
const format = { type: 'json_schema', json_schema: { name: 'sum', schema } }

/** The messages of the `n`th request to the model. */
const sent = ({ model }: ChatService, n: number) => model.requests[n]?.body.messages

describeChat('the refusal of a model', (open) => {
  test('is the `refusal` of a message, which is stored, shown and sent back as one', async () => {
    const chat = await open(first(refusing))
    const { chatSessionId, choices } = await answerOf(chat.say('Do it'))
    const message = { role: 'assistant', content: null, refusal }
    expect(choices).toEqual([{ index: 0, message, finish_reason: 'stop' }])
    expect((await chat.say('Why?', { chatSessionId })).status).toBe(200)
    const history = [{ role: 'user', content: 'Do it' }, message, { role: 'user', content: 'Why?' }]
    expect(sent(chat, 1)).toEqual(history)
    // What a client resends is the same message, so it is not added again.
    const resent = { model: chat.agent.app_name_id, messages: history, chatSessionId }
    expect((await chat.post(resent)).status).toBe(200)
    expect(sent(chat, 2)).toEqual([...history, ...(sent(chat, 2) as object[]).slice(3)])
    const { ctx, owner, agent } = chat
    const page = { limit: 10 }
    const shown = await getConversation(ctx, owner.workspaceId, chatSessionId, page)
    expect(shown.messages.items[1]).toMatchObject({ content: refusal, isRefusal: true })
    expect(shown.messages.items[3]).toMatchObject({ content: 'Gladly.', isRefusal: false })
    const pieces = await exportConversations(ctx, owner.workspaceId, {
      appId: agent.id,
      format: 'jsonl',
    })
    const lines = (await Array.fromAsync(pieces)).join('').trim().split('\n')
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ content: refusal })
  })

  test('is a text for servers that may not know the field', async () => {
    const chat = await open({
      ...first(refusing),
      environment: { OLLAMA_BASE_URL: 'http://127.0.0.1:1' },
    })
    const elsewhere = await open({ environment: { OLLAMA_BASE_URL: chat.model.origin } })
    const { app_name_id: model, key } = await elsewhere.makeAgent({ model: 'ollama/some-model' })
    const messages = [
      { role: 'user', content: 'Do it' },
      { role: 'assistant', content: null, refusal },
      { role: 'user', content: 'Why?' },
    ]
    await answerOf(elsewhere.post({ model, messages }, { authorization: `Bearer ${key}` }))
    expect(sent(chat, 0)).toEqual(messages.toSpliced(1, 1, { role: 'assistant', content: refusal }))
  })

  test('is streamed as it is written, after the text before it', async () => {
    const chat = await open(first({ reply: 'Well.', refusal }))
    const frames = await readFrames(await chat.say('Do it', { stream: true }))
    const deltas = frames.flatMap(({ choices }) => {
      const [choice] = (choices ?? []) as { delta: Record<string, string> }[] // A chunk.
      return choice === undefined ? [] : [choice.delta]
    })
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('Well.')
    expect(deltas.map((delta) => delta.refusal ?? '').join('')).toBe(refusal)
  })

  test('is a part of a response’s message, with events of its own', async () => {
    const chat = await open({ model: { script: () => ({ reply: 'Well.', refusal }) } })
    const { create, get, stream, call } = responsesOf(chat)
    const content = [expect.objectContaining({ type: 'output_text', text: 'Well.' }), part]
    const whole = await create({ input: 'Do it' })
    expect(whole).toMatchObject({ status: 'completed', output: [{ content }] })
    const events = await stream({ input: 'Do it' })
    const names = events.map(({ type }) => type.replace('response.', ''))
    expect([...new Set(names)]).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'refusal.delta',
      'output_text.done',
      'content_part.done',
      'refusal.done',
      'output_item.done',
      'completed',
    ])
    const ofRefusal = events.filter(({ type }) => type === 'response.refusal.delta')
    expect(ofRefusal.map(({ delta }) => delta).join('')).toBe(refusal)
    expect(ofRefusal[0]).toMatchObject({ content_index: 1 })
    const { response } = events.at(-1) ?? {}
    for (const shown of [whole, response])
      expect((await get(shown?.id ?? '')).output).toEqual(shown?.output)
    const items = await bodyOf<{ data: object[] }>(
      await call('GET', `/conversations/${whole.conversation?.id}/items?order=asc`),
      200,
    )
    expect(items.data[1]).toMatchObject({ content })
    // A branch keeps it, and so does a caller that sends it back.
    await create({ input: 'Why?', previous_response_id: whole.id })
    await create({ input: 'And?', previous_response_id: whole.id })
    await create({
      input: [
        { type: 'message', role: 'user', content: 'Do it' },
        whole.output[0],
        { type: 'message', role: 'user', content: 'So?' },
      ],
    })
    const refused = { role: 'assistant', content: 'Well.', refusal }
    for (const n of [2, 3, 4]) expect((sent(chat, n) as object[])[1]).toEqual(refused)
  })

  test('is streamed by a background response', async () => {
    const chat = await open({ model: { script: () => refusing } })
    const { create, get, call } = responsesOf(chat)
    const { id } = await create({ input: 'Do it', background: true })
    const jobs = chat.ctx.jobs as JobQueue // As compose.ts creates it.
    await createJobRunner(chat.ctx, jobs, [runResponse]).runDue()
    const events = await eventsOf(await call('GET', `/responses/${id}?stream=true`))
    const deltas = events.filter(({ type }) => type === 'response.refusal.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(refusal)
    const { response } = events.at(-1) ?? {}
    expect(response).toMatchObject({ status: 'completed', output: [{ content: [part] }] })
    expect(expectOfficial('ResponseResource', await get(id)).output).toEqual(response?.output)
  })

  test('is no answer of a wrong form, from a provider that enforces the form or not', async () => {
    const api = await startActionServer(json({}))
    const chat = await open({ ...first(refusing), environment: loopback })
    await addAction(chat, { url: api.origin })
    const answer = await answerOf(chat.say('Sum it up', { response_format: format }))
    expect(answer.choices[0].message).toEqual({ role: 'assistant', content: null, refusal })
    expect(chat.model.requests).toHaveLength(1)
    const strict = { ...format, json_schema: { ...format.json_schema, strict: true } }
    const plain = await open(first(refusing))
    const passed = await answerOf(plain.say('Sum it up', { response_format: strict }))
    expect(passed.choices[0].message).toEqual({ role: 'assistant', content: null, refusal })
  })
})
