import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { deleteSession } from '#features/analytics/index.ts'
import { exportConversations, getConversation } from '#features/conversations/index.ts'
import { answerOf, describeChat, readFrames, type ChatService } from '#test/support/chat-service.ts'
import { bodyOf, responsesOf } from '#test/support/open-responses.ts'

const thinking = { model: { script: () => ({ reply: 'Four.', reasoning: 'Two and two.' }) } }

/** All rows of all tables that an answer can be in. */
async function everything({ ctx }: ChatService): Promise<string> {
  const tables = [
    'chat_messages',
    'chat_responses',
    'partial_answers',
    'response_texts',
    'jobs',
  ] as const
  const rows = tables.map((table) => ctx.db.read.selectFrom(table).selectAll().execute())
  return JSON.stringify(await Promise.all(rows))
}

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
    const stored = await chat.ctx.db.read.selectFrom('chat_messages').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain('Two and two')
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
    const content = [{ type: 'reasoning_text', text: 'Two and two.' }]
    expect(thought).toEqual({ type: 'reasoning', id: expect.any(String), summary: [], content })
    expect(message).toMatchObject({ type: 'message', content: [{ text: 'Four.' }] })
    const events = await stream({ input: '2+2?' })
    expect([...new Set(events.map(({ type }) => type.replace('response.', '')))]).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'reasoning.delta',
      'output_text.delta',
      'reasoning.done',
      'content_part.done',
      'output_item.done',
      'output_text.done',
      'completed',
    ])
    const deltas = events.filter(({ type }) => type === 'response.reasoning.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Two and two.')
    const last = events.at(-1)?.response
    expect(last?.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    // It is not stored, so the response lacks it when it is read again.
    expect((await get(whole.id)).output.map(({ type }) => type)).toEqual(['message'])
    expect(await everything(chat)).not.toContain('Two and two')
    // Clients send back what they have received.
    const back = [{ ...thought, content: null }, message]
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
    expect(await everything(chat)).not.toContain('Two and two')
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
