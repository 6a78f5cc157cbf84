import { expect, test } from 'vitest'
import { costOfMessages, setCreditCap, setPrice } from '#features/credits/index.ts'
import {
  addAction,
  openWithToolCalls,
  loopback,
  toolResults,
} from '#test/support/chat/agent-with-actions.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'

const perCall = { promptMicrosPerMillion: 0, completionMicrosPerMillion: 0, callMicros: 1_000 }

describeChat('the credits of calls', (open) => {
  const entries = ({ ctx }: ChatService) =>
    ctx.db.read.selectFrom('credit_entries').selectAll().orderBy('kind').execute()

  async function priced(callsAtOnce = 1) {
    const api = await startActionServer(json({ degrees: 21 }))
    const calls = Array.from({ length: callsAtOnce }, () => ({ name: 'get_weather' }))
    const chat = await openWithToolCalls(open, [calls], {
      ...loopback,
      CREDIT_OUTPUT_TOKENS: '100',
    })
    await addAction(chat, { url: `${api.origin}/weather` })
    await setPrice(chat.ctx, chat.owner.userId, { pattern: 'action/http', price: perCall })
    return { api, chat }
  }

  test('a call is charged when it is stored, and adds to the cost of its answer', async () => {
    const { chat } = await priced(2)
    await answerOf(chat.say('How warm is it?'))
    const made = await chat.ctx.db.read.selectFrom('action_calls').select('id').execute()
    const [answer] = await chat.ctx.db.read
      .selectFrom('chat_messages')
      .select('id')
      .where('role', '=', 'assistant')
      .execute()
    const booked = (await entries(chat)).filter(({ kind }) => kind === 'action')
    expect(new Set(booked.map(({ idempotency_key }) => idempotency_key))).toEqual(
      new Set(made.map(({ id }) => `action:${id}`)),
    )
    expect(booked).toHaveLength(2)
    for (const entry of booked)
      expect(entry).toMatchObject({
        amount_micros: -1_000,
        model: 'get_weather',
        message_id: answer!.id,
        agent_id: chat.agent.id,
      })
    const { ctx, owner } = chat
    const costs = await costOfMessages(ctx.db.read, owner.workspaceId, [answer!.id, 'none'])
    expect([...costs]).toEqual([[answer!.id, 2_000]])
  })

  test('a call without credits is not made, and the model gets the reason', async () => {
    const { api, chat } = await priced(3)
    await setCreditCap(chat.ctx, chat.owner, {
      subject: 'workspace',
      subjectId: '',
      period: 'day',
      amountMicros: 2_000,
    })
    await answerOf(chat.say('How warm is it?'))
    expect(api.requests).toHaveLength(2)
    expect(toolResults(chat, 1)).toContainEqual(
      expect.objectContaining({ ok: false, error: expect.stringContaining('no credits left') }),
    )
    const [window] = await chat.ctx.db.read.selectFrom('credit_windows').selectAll().execute()
    expect(window?.used_micros).toBe(2_000)
  })

  test('a call that is booked no longer counts as reserved', async () => {
    const api = await startActionServer(json({ degrees: 21 }))
    const rounds = Array.from({ length: 4 }, () => [{ name: 'get_weather' }])
    const chat = await openWithToolCalls(open, rounds)
    await addAction(chat, { url: `${api.origin}/weather` })
    await setPrice(chat.ctx, chat.owner.userId, { pattern: 'action/http', price: perCall })
    await setCreditCap(chat.ctx, chat.owner, {
      subject: 'workspace',
      subjectId: '',
      period: 'day',
      amountMicros: 3_000,
    })
    await answerOf(chat.say('How warm is it?'))
    expect(api.requests).toHaveLength(3)
    expect((await entries(chat)).filter(({ kind }) => kind === 'action')).toHaveLength(3)
    const [window] = await chat.ctx.db.read.selectFrom('credit_windows').selectAll().execute()
    expect(window?.used_micros).toBe(3_000)
  })

  test('a call without a price, and one that could not be sent, cost nothing', async () => {
    const chat = await openWithToolCalls(open, [[{ name: 'get_weather' }]])
    await addAction(chat, { url: 'http://127.0.0.1:1/weather' })
    await setPrice(chat.ctx, chat.owner.userId, { pattern: 'action/*', price: perCall })
    await answerOf(chat.say('How warm is it?'))
    expect((await entries(chat)).map(({ kind }) => kind)).toEqual(['turn'])
  })

  test.each([false, true])(
    'usage before the credits ran out is charged, so that a cap cannot be bypassed (stream: %s)',
    async (stream) => {
      const api = await startActionServer(json({ long: 'x'.repeat(3_000) }))
      const rounds = Array.from({ length: 50 }, () => [{ name: 'get_weather' }])
      const chat = await openWithToolCalls(open, rounds, {
        ...loopback,
        CREDIT_OUTPUT_TOKENS: '10',
      })
      await addAction(chat, { url: `${api.origin}/weather` })
      const aToken = { promptMicrosPerMillion: 1_000_000, completionMicrosPerMillion: 1_000_000 }
      const price = { ...aToken, callMicros: 0 }
      await setPrice(chat.ctx, chat.owner.userId, { pattern: 'openai/*', price })
      await setCreditCap(chat.ctx, chat.owner, {
        subject: 'workspace',
        subjectId: '',
        period: 'day',
        amountMicros: 2_000,
      })
      await (await chat.say('How warm is it?', { stream })).text()
      expect(chat.model.requests).toHaveLength(1)
      const [turn] = await entries(chat)
      expect(turn).toMatchObject({ kind: 'turn' })
      expect(turn!.prompt_tokens).toBeGreaterThan(0)
      expect(-turn!.amount_micros).toBe(turn!.prompt_tokens! + turn!.completion_tokens!)
    },
  )
})
