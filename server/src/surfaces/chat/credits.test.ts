import { describe, expect, test } from 'vitest'
import {
  creditJobs,
  getCredits,
  listCreditTransactions,
  setCreditCap,
  setPrice,
} from '#features/credits/index.ts'
import { startMisbehavingModelServer } from '#test/support/servers/misbehaving-model-server.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
} from '#test/support/chat/chat-service.ts'

const million = 1_000_000
/** One micro per input token, ten per output token. */
const price = {
  promptMicrosPerMillion: million,
  completionMicrosPerMillion: 10 * million,
  callMicros: 0,
}

describeChat('the credits of chat turns', (open) => {
  /** A service whose model costs something; the owner of the first workspace runs it. */
  async function priced(environment: Readonly<Record<string, string>> = {}): Promise<ChatService> {
    const service = await open({
      environment: { CREDIT_OUTPUT_TOKENS: '100', ...environment },
    })
    await setPrice(service.ctx, service.owner.userId, { pattern: 'openai/*', price })
    return service
  }
  const entries = ({ ctx }: ChatService) =>
    ctx.db.read.selectFrom('credit_entries').selectAll().orderBy('id').execute()
  const transactions = async ({ ctx, owner }: ChatService) => {
    const filter = {
      workspaceId: owner.workspaceId,
      from: undefined,
      to: undefined,
      kind: undefined,
    }
    return (await listCreditTransactions(ctx, filter, { limit: 10 })).items
  }
  const answers = ({ ctx }: ChatService) =>
    ctx.db.read.selectFrom('chat_messages').selectAll().where('role', '=', 'assistant').execute()
  const cap = ({ ctx, owner }: ChatService, amountMicros: number) =>
    setCreditCap(ctx, owner, { subject: 'workspace', subjectId: '', period: 'day', amountMicros })
  const used = async ({ ctx, owner }: ChatService) =>
    (await getCredits(ctx, owner.workspaceId)).usedThisMonthMicros

  test('each answer has a ledger entry with its model, its user and its cost', async () => {
    const service = await priced()
    const { ctx, agent, owner } = service
    const { chatSessionId } = await answerOf(service.say('hello', { user: 'ann' }))
    const [answer] = await answers(service)
    const key = await ctx.db.read.selectFrom('api_keys').select('id').executeTakeFirstOrThrow()
    expect(await entries(service)).toMatchObject([
      {
        id: answer!.id,
        workspace_id: owner.workspaceId,
        agent_id: agent.id,
        session_id: chatSessionId,
        key_id: key.id,
        end_user: 'ann',
        kind: 'turn',
        model: 'openai/mock',
        prompt_tokens: answer!.prompt_tokens,
        completion_tokens: answer!.completion_tokens,
        amount_micros: -(answer!.prompt_tokens! + 10 * answer!.completion_tokens!),
      },
    ])
    expect((await transactions(service)).map(({ messageId }) => messageId)).toEqual([answer!.id])
  })

  test('a turn that is not stored is charged, and nothing else about it is stored', async () => {
    const service = await priced()
    await answerOf(service.say('hello', { store: false }))
    const [entry, more] = await entries(service)
    expect(more).toBeUndefined()
    expect(entry).toMatchObject({ kind: 'turn', session_id: null })
    expect((await transactions(service)).map(({ messageId }) => messageId)).toEqual([null])
    expect(entry!.amount_micros).toBeLessThan(0)
    expect(await answers(service)).toEqual([])
  })

  test('an answer of a model without a price costs nothing and has a ledger entry', async () => {
    const service = await open()
    await answerOf(service.say('hello'))
    expect(await entries(service)).toMatchObject([{ kind: 'turn', amount_micros: 0 }])
  })

  test.each([false, true])(
    'a client that disconnects before the first word pays for the prompt (stream: %s)',
    async (stream) => {
      const service = await open({
        environment: { CREDIT_OUTPUT_TOKENS: '100' },
        model: { script: () => ({ reply: 'never said', firstByteMs: 5_000 }) },
      })
      await setPrice(service.ctx, service.owner.userId, { pattern: 'openai/*', price })
      const caller = new AbortController()
      const { agent, key } = service
      const body = JSON.stringify({
        model: agent.app_name_id,
        messages: [{ role: 'user', content: 'a long question' }],
        stream,
      })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const path = `${await service.listen()}/chat/completions`
      const call = fetch(path, { method: 'POST', body, headers, signal: caller.signal })
      const asked = await service.model.request(0)
      caller.abort()
      await expect(call).rejects.toThrow()
      await asked.aborted
      // The tokens are counted by a library that is loaded for the first such call.
      await expect.poll(() => entries(service), { timeout: 10_000 }).toHaveLength(1)
      const [entry] = await entries(service)
      const [answer] = await answers(service)
      expect(answer).toMatchObject({ content: '', error_code: 'turn_aborted' })
      const { promptTokens } = await service.ctx.models.countUsage(
        [{ role: 'user', content: 'a long question' }],
        '',
      )
      expect(entry).toMatchObject({ kind: 'turn', completion_tokens: 0 })
      expect(entry!.prompt_tokens).toBeGreaterThanOrEqual(promptTokens)
      expect(entry!.amount_micros).toBe(0 - entry!.prompt_tokens!)
    },
  )

  test('a model that fails before its first word costs nothing', async () => {
    const service = await open({ server: await startMisbehavingModelServer('cuts before headers') })
    await setPrice(service.ctx, service.owner.userId, { pattern: 'openai/*', price })
    expect((await service.say('hello')).status).toBeGreaterThanOrEqual(500)
    expect(await entries(service)).toMatchObject([{ amount_micros: 0, prompt_tokens: 0 }])
  })

  describe('without credits left', () => {
    test.each([false, true])(
      'a turn gets 402 before anything about it is stored (stream: %s)',
      async (stream) => {
        const service = await priced({ PLAN_CREDITS: 'builder=0' })
        const response = await service.say('hello', { stream })
        expect(response.status).toBe(402)
        expect(await response.json()).toEqual({
          error: 'The workspace of this agent has no credits left',
        })
        expect(service.model.requests).toHaveLength(0)
        const stored = await service.ctx.db.read.selectFrom('chat_sessions').selectAll().execute()
        expect(stored).toEqual([])
      },
    )

    test('a capped turn gets 402 with the time when the cap resets', async () => {
      const service = await priced()
      await cap(service, 500)
      const response = await service.say('hello')
      expect(response.status).toBe(402)
      expect(await response.json()).toEqual({
        error: 'The credit cap of this day is reached; it resets at 2026-01-03T00:00:00.000Z',
      })
    })

    test('a history that costs too much gets 402, also in a stream', async () => {
      const service = await priced()
      const { chatSessionId } = await answerOf(service.say('x'.repeat(5_000)))
      await cap(service, (await used(service)) + 2_000)
      for (const stream of [false, true]) {
        const response = await service.say('and now?', { chatSessionId, stream })
        expect(response.status).toBe(402)
      }
      expect((await service.say('in a new session')).status).toBe(200)
    })

    test('a model that costs nothing still answers', async () => {
      const service = await priced({ PLAN_CREDITS: 'builder=0' })
      const { app_name_id, key } = await service.makeAgent({ model: 'local/extractive' })
      const messages = [{ role: 'user', content: 'hello' }]
      const headers = { authorization: `Bearer ${key}` }
      expect((await service.post({ model: app_name_id, messages }, headers)).status).toBe(200)
    })
  })

  test.each([false, true])(
    'two hundred turns at once never overdraw a cap (stream: %s)',
    async (stream) => {
      const service = await priced()
      await cap(service, 20_000)
      const responses = await Promise.all(
        Array.from({ length: 200 }, (_, n) => service.say(`question ${n}`, { stream })),
      )
      await Promise.all(
        responses.map((response) => (stream ? readFrames(response) : response.text())),
      )
      const statuses = new Set(responses.map(({ status }) => status))
      expect(statuses).toEqual(new Set([200, 402]))
      const answered = responses.filter(({ status }) => status === 200).length
      expect(await entries(service)).toHaveLength(answered)
      expect(await answers(service)).toHaveLength(answered)
      expect(await used(service)).toBeLessThanOrEqual(20_000)
      const [window] = await service.ctx.db.read.selectFrom('credit_windows').selectAll().execute()
      expect(window?.used_micros).toBe(await used(service))
      const held = await service.ctx.db.read.selectFrom('credit_reservations').selectAll().execute()
      expect(held).toEqual([])
    },
    60_000,
  )

  test('a failed turn releases its reservation, and its answer has a ledger entry like any other', async () => {
    const server = await startMisbehavingModelServer('answers 500')
    const service = await open({ server, environment: { CREDIT_OUTPUT_TOKENS: '100' } })
    await setPrice(service.ctx, service.owner.userId, { pattern: 'openai/*', price })
    await cap(service, 1_500)
    for (let n = 0; n < 3; n++) expect((await service.say('hello')).status).toBe(502)
    const failed = { kind: 'turn', amount_micros: 0 }
    expect(await entries(service)).toMatchObject([failed, failed, failed])
    expect(await answers(service)).toHaveLength(3)
  })

  test('an answer is limited to the reserved tokens where the agent sets no limit', async () => {
    const service = await priced()
    await answerOf(service.say('free'))
    await cap(service, 100_000)
    await answerOf(service.say('limited'))
    const limits = service.model.requests.map(
      ({ body }) => body.max_completion_tokens ?? body.max_tokens,
    )
    expect(limits).toEqual([undefined, 100])
  })

  test('an end user’s cap applies only to them', async () => {
    const service = await priced()
    await setCreditCap(service.ctx, service.owner, {
      subject: 'end_user',
      subjectId: '*',
      period: 'month',
      amountMicros: 1_500,
    })
    const ask = async (user: string) => (await service.say('hello', { user })).status
    const ann: number[] = []
    for (let n = 0; n < 12; n++) ann.push(await ask('ann'))
    expect(ann.at(0)).toBe(200)
    expect(ann.at(-1)).toBe(402)
    expect(await ask('bob')).toBe(200)
    expect((await service.say('hello')).status).toBe(200)
  })

  test('the sum of the entries is the balance', async () => {
    const service = await priced({ PLAN_CREDITS: 'builder=1' })
    const keep = creditJobs.find(({ kind }) => kind === 'billing.keep_balances')!
    const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
    await keep.run(service.ctx, {}, run)
    await Promise.all(Array.from({ length: 20 }, (_, n) => answerOf(service.say(`hello ${n}`))))
    const { balanceMicros } = await getCredits(service.ctx, service.owner.workspaceId)
    const rows = await entries(service)
    expect(rows).toHaveLength(21)
    expect(balanceMicros).toBe(rows.reduce((sum, { amount_micros }) => sum + amount_micros, 0))
  })
})
