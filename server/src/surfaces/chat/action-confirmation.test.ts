import { describe, expect, test } from 'vitest'
import {
  createAction,
  deleteAction,
  updateAction,
  type Action,
  type NewAction,
} from '#features/actions/index.ts'
import { json, startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
  type OpenChat,
} from '#test/support/chat/chat-service.ts'

const cancel: Omit<NewAction, 'url'> = {
  name: 'cancel_order',
  title: 'Cancel order',
  description: 'Cancels an order',
  method: 'POST',
  requires_confirmation: true,
  parameters: [{ in: 'body', key: 'order_id', type: 'integer', required: true }],
}

interface Asked {
  readonly chat: ChatService
  readonly api: ActionServer
  readonly action: Action
  readonly sessionId: string
  /** The agent's question. */
  readonly asked: string
}

/** A conversation in which the user has just been asked whether to cancel order 42. */
async function ask(open: OpenChat, stream = false): Promise<Asked> {
  const api = await startActionServer(json({ canceled: true }))
  const chat = await open({
    model: {
      script: (_, n) =>
        n === 0
          ? { reply: '', toolCalls: [{ name: 'cancel_order', arguments: { order_id: 42 } }] }
          : { reply: `Answer ${n}.` },
    },
    environment: { OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
  })
  const { ctx, owner, agent } = chat
  const action = await createAction(ctx, owner.workspaceId, agent.id, {
    ...cancel,
    url: api.origin,
  })
  const response = await chat.say('Cancel my order', { stream })
  if (!stream) {
    const { chatSessionId, choices } = await answerOf(response)
    return { chat, api, action, sessionId: chatSessionId, asked: choices[0].message.content }
  }
  const frames = await readFrames(response)
  const said = frames.map(({ choices }) => {
    const [choice] = (choices ?? []) as { delta: { content?: string } }[] // A chunk.
    return choice?.delta.content ?? ''
  })
  const sessionId = String(frames[0]?.chatSessionId)
  return { chat, api, action, sessionId, asked: said.join('') }
}

const statuses = async ({ ctx }: ChatService) =>
  (await ctx.db.read.selectFrom('action_calls').select('status').execute()).map((row) => row.status)

describeChat('an action that needs a confirmation', (open) => {
  const question = 'To go ahead, reply “yes”:\n- Cancel order (order_id: 42)'

  test.each([false, true])(
    'is not made but confirmed first, with our question (stream: %s)',
    async (stream) => {
      const { chat, api, asked } = await ask(open, stream)
      expect(asked).toBe(`Answer 1.\n\n${question}`)
      expect(api.requests).toEqual([])
      expect(await statuses(chat)).toEqual(['awaiting_confirmation'])
    },
  )

  test('is made when the next message confirms it, and the answer uses its result', async () => {
    const { chat, api, sessionId } = await ask(open)
    await answerOf(chat.say('Yes, please!', { chatSessionId: sessionId }))
    expect(api.requests).toMatchObject([{ method: 'POST', body: '{"order_id":42}' }])
    expect(await statuses(chat)).toEqual(['done'])
    const { messages } = chat.model.requests[2]!.body as { messages: { role: string }[] } // OpenAI's.
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
    ])
    expect(messages[5]).toMatchObject({ content: expect.stringContaining('"canceled":true') })
  })

  test('is made once, however often the user agrees', async () => {
    const { chat, api, sessionId } = await ask(open)
    await Promise.all([1, 2, 3].map(() => chat.say('yes', { chatSessionId: sessionId })))
    await chat.say('yes', { chatSessionId: sessionId })
    expect(api.requests).toHaveLength(1)
    expect(await statuses(chat)).toEqual(['done'])
  })

  test('is made when a client resends the whole conversation with the yes', async () => {
    const { chat, api, sessionId, asked } = await ask(open)
    const messages = [
      { role: 'user', content: 'Cancel my order' },
      { role: 'assistant', content: asked },
      { role: 'user', content: 'yes' },
    ]
    await chat.say('', { chatSessionId: sessionId, messages })
    expect(api.requests).toHaveLength(1)
  })

  test.each(['no', 'yes but order 43', 'What would that cost?', 'Tell me a joke', 'ok?'])(
    'is not made for “%s”, and not for a yes after that',
    async (words) => {
      const { chat, api, sessionId } = await ask(open)
      await chat.say(words, { chatSessionId: sessionId })
      expect(await statuses(chat)).toEqual(['declined'])
      expect(JSON.stringify(chat.model.requests[2]?.body)).toContain('did not confirm')
      await chat.say('yes', { chatSessionId: sessionId })
      expect(api.requests).toEqual([])
    },
  )

  describe('is not made for a yes', () => {
    test('in another conversation', async () => {
      const { chat, api } = await ask(open)
      await chat.say('yes')
      expect(api.requests).toEqual([])
      expect(await statuses(chat)).toEqual(['awaiting_confirmation'])
    })

    test('that arrives an hour late', async () => {
      const { chat, api, sessionId } = await ask(open)
      chat.advance(61 * 60_000)
      await chat.say('yes', { chatSessionId: sessionId })
      expect(api.requests).toEqual([])
      expect(await statuses(chat)).toEqual(['declined'])
    })

    test('to an action that was changed meanwhile', async () => {
      const { chat, api, action, sessionId } = await ask(open)
      await updateAction(chat.ctx, chat.owner.workspaceId, action.id, { url: `${api.origin}/all` })
      await chat.say('yes', { chatSessionId: sessionId })
      expect(api.requests).toEqual([])
    })

    test('to an action that was deleted meanwhile', async () => {
      const { chat, api, action, sessionId } = await ask(open)
      await deleteAction(chat.ctx, chat.owner.workspaceId, action.id)
      expect((await chat.say('yes', { chatSessionId: sessionId })).status).toBe(200)
      expect(api.requests).toEqual([])
    })

    test('to a question that the user did not see completely', async () => {
      const { chat, api, sessionId } = await ask(open)
      await chat.ctx.db.write((tx) =>
        tx
          .updateTable('chat_messages')
          .set({ error_code: 'turn_aborted' })
          .where('role', '=', 'assistant')
          .execute(),
      )
      await chat.say('yes', { chatSessionId: sessionId })
      expect(api.requests).toEqual([])
    })
  })

  test('cannot be confirmed in a turn that is not stored', async () => {
    const api = await startActionServer(json({}))
    const chat = await open({
      model: {
        script: (_, n) =>
          n === 0
            ? { reply: '', toolCalls: [{ name: 'cancel_order', arguments: { order_id: 42 } }] }
            : { reply: 'I cannot.' },
      },
    })
    const url = api.origin
    await createAction(chat.ctx, chat.owner.workspaceId, chat.agent.id, { ...cancel, url })
    const { choices } = await answerOf(chat.say('Cancel', { store: false }))
    expect(choices[0].message.content).toBe('I cannot.')
    expect(JSON.stringify(chat.model.requests[1]?.body)).toContain('not possible here')
  })
})
