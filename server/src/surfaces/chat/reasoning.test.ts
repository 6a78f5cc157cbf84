import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { deleteSession } from '#features/analytics/index.ts'
import { exportConversations, getConversation } from '#features/conversations/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { allRows } from '#test/support/databases/all-rows.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
} from '#test/support/chat/chat-service.ts'
import {
  bodyOf,
  eventsOf,
  responsesOf,
  type StreamEvent,
} from '#test/support/chat/open-responses.ts'
import { responseFrames } from './responses/response-frames.ts'

const thinking = { model: { script: () => ({ reply: 'Four.', reasoning: 'Two and two.' }) } }

async function eraseSessions({ ctx, owner, agent }: ChatService, sessionId: string): Promise<void> {
  const place = { workspaceId: owner.workspaceId, agentId: agent.id }
  await deleteSession(ctx.db, place, sessionId)
}

describeChat('the reasoning of a model', (open) => {
  test('is passed on as `reasoning_content`, and nothing of it is stored', async () => {
    const chat = await open(thinking)
    const answer = await answerOf(chat.say('2+2?'))
    expect(answer.choices[0].message).toEqual({
      role: 'assistant',
      content: 'Four.',
      reasoning_content: 'Two and two.',
    })
    const frames = await readFrames(await chat.say('2+2?', { stream: true }))
    const deltas = frames.flatMap(({ choices }) => {
      const [choice] = (choices ?? []) as { delta: Record<string, string> }[] // A chunk.
      return choice === undefined ? [] : [choice.delta]
    })
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe('Two and two.')
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('Four.')
    // It comes before the text.
    expect(Object.keys(deltas[1] ?? {})).toEqual(['reasoning_content'])
    const stored = await allRows(chat)
    expect(stored).toContain('Four.')
    expect(stored).not.toContain('Two and two')
  })

  test('is not part of an answer whose format is checked', async () => {
    const script = () => ({ reply: '{"sum":4}', reasoning: 'Two and two.' })
    const chat = await open({ model: { script } })
    const answer = await answerOf(chat.say('2+2?', { response_format: { type: 'json_object' } }))
    expect(answer.choices[0].message).toEqual({ role: 'assistant', content: '{"sum":4}' })
  })

  test('is an item of a response, streamed with its events before the text', async () => {
    const chat = await open(thinking)
    const { create, stream, get } = responsesOf(chat)
    const whole = await create({ input: '2+2?' })
    const [thought, message] = whole.output
    const summary = [{ type: 'summary_text', text: 'Two and two.' }]
    expect(thought).toEqual({ type: 'reasoning', id: expect.any(String), summary })
    expect(message).toMatchObject({ type: 'message', content: [{ text: 'Four.' }] })
    const events = await stream({ input: '2+2?' })
    expect([...new Set(events.map(({ type }) => type.replace('response.', '')))]).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'content_part.added',
      'output_text.delta',
      'output_item.done',
      'output_text.done',
      'content_part.done',
      'completed',
    ])
    const deltas = events.filter(({ type }) => type.endsWith('reasoning_summary_text.delta'))
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Two and two.')
    const last = events.at(-1)?.response
    expect(last?.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    // It is not stored, so the response lacks it when it is read again.
    expect((await get(whole.id)).output.map(({ type }) => type)).toEqual(['message'])
    expect(await allRows(chat)).not.toContain('Two and two')
    // Clients send back what they have received.
    const back = [thought, { type: 'item_reference', id: thought?.id }, message]
    await create({ input: [...back, { type: 'message', role: 'user', content: 'On?' }] })
    const sent = chat.model.requests.at(-1)?.body.messages
    expect(sent).toEqual([
      { role: 'assistant', content: 'Four.' },
      { role: 'user', content: 'On?' },
    ])
  })

  test('is stored if the agent says so, shown, exported, and deleted with its answer', async () => {
    const chat = await open(thinking)
    const { ctx, owner, agent } = chat
    await updateAgent(ctx, owner, agent.id, { store_reasoning: true })
    const { create, get, call } = responsesOf(chat)
    const { chatSessionId } = await answerOf(chat.say('2+2?'))
    const { messages } = await getConversation(ctx, owner.workspaceId, chatSessionId, { limit: 9 })
    expect(messages.items.map(({ reasoning }) => reasoning)).toEqual([null, 'Two and two.'])
    let lines = ''
    const wanted = { appId: agent.id, format: 'jsonl' } as const
    for await (const piece of await exportConversations(ctx, owner.workspaceId, wanted))
      lines += piece
    expect(lines).toContain('"reasoning":"Two and two."')
    const { id, conversation } = await create({ input: '2+2?' })
    const { output } = await get(id)
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    const item = `/conversations/${conversation?.id}/items/${output[1]?.id}`
    await bodyOf(await call('DELETE', item), 200)
    await eraseSessions(chat, chatSessionId)
    expect(await allRows(chat)).not.toContain('Two and two')
  })

  test('of a background response is streamed and shown only if the agent stores it', async () => {
    const chat = await open(thinking)
    const { create, get, call } = responsesOf(chat)
    const run = async () => {
      const { id, conversation } = await create({ input: '2+2?', background: true })
      await createJobRunner(chat.ctx, chat.ctx.jobs as JobQueue, [runResponse]).runDue() // As compose.ts creates it.
      const events = await eventsOf(await call('GET', `/responses/${id}?stream=true`))
      const whole = await get(id)
      expect(events.at(-1)?.response).toEqual(whole)
      return { events, whole, conversation }
    }
    expect((await run()).whole.output.map(({ type }) => type)).toEqual(['message'])
    expect(await allRows(chat)).not.toContain('Two and two')
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { store_reasoning: true })
    const { events, whole, conversation } = await run()
    const summary = [{ type: 'summary_text', text: 'Two and two.' }]
    expect(whole.output).toMatchObject([{ type: 'reasoning', summary }, { type: 'message' }])
    const added = events.filter(({ type }) => type === 'response.output_item.added')
    expect(added.map(({ output_index: n }) => n)).toEqual([0, 1])
    const deltas = events.filter(({ type }) => type.endsWith('reasoning_summary_text.delta'))
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Two and two.')
    const item = `/conversations/${conversation?.id}/items/${whole.output[1]?.id}`
    await bodyOf(await call('DELETE', item), 200)
    expect(await allRows(chat)).not.toContain('Two and two')
  })

  test('is stored up to a length', async () => {
    const reasoning = 'hm '.repeat(10_000)
    const chat = await open({ model: { script: () => ({ reply: 'Four.', reasoning }) } })
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, { store_reasoning: true })
    await answerOf(chat.say('2+2?'))
    const stored = chat.ctx.db.read.selectFrom('chat_messages').select('reasoning')
    const [, answer] = await stored.orderBy('seq').execute()
    expect(answer?.reasoning).toBe(reasoning.slice(0, 16_000))
  })
})

test('what a model thinks after it began to write is a further part of the same item', () => {
  const id = '01890000-0000-7000-8000-000000000000'
  const begun = { id, createdAt: 0, request: {}, sessionId: null }
  const frames = responseFrames(begun, id, () => 0)
  const usage = { promptTokens: 1, completionTokens: 1 }
  const ended = { refusedFrom: null, finishReason: 'stop', usage, citations: [], toolCalls: [] }
  const written = [
    frames.reasoning?.(['I look']),
    frames.texts(['One moment.']),
    frames.reasoning?.(['I found']),
    frames.texts([' Four.']),
    frames.end({ ...ended, text: 'One moment. Four.' }),
  ].join('')
  const events = written.split('\n\n').flatMap((frame) => {
    const data = /^data: (\{.*)$/m.exec(frame)?.[1]
    return data === undefined ? [] : [JSON.parse(data) as StreamEvent] // As the writer wrote it.
  })
  const ofReasoning = events.filter(({ type }) => type.includes('reasoning'))
  const [name, index] = [/[a-z]+\.[a-z]+$/, 'summary_index']
  expect(ofReasoning.map((event) => [name.exec(event.type)?.[0], event[index]])).toEqual(
    [0, 1].flatMap((n) => [
      ['part.added', n],
      ['text.delta', n],
      ['text.done', n],
      ['part.done', n],
    ]),
  )
  const [thought] = events.at(-1)?.response?.output ?? []
  expect(thought?.summary).toMatchObject([{ text: 'I look' }, { text: 'I found' }])
})
