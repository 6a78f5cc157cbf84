import fc from 'fast-check'
import { eraseEndUser, questionText, rateAnswer, rollUp } from '#features/analytics/index.ts'
import { newId } from '#kernel/ids.ts'
import { storeMessages, storeSession } from './chat-history.ts'
import { actorOf, type TestInstance, type Person } from '#test/support/test-instance.ts'

const minute = 60_000

const answer = fc.record({
  model: fc.constantFrom('openai/unpriced', 'local/extractive', null),
  prompt: fc.nat(1000),
  completion: fc.nat(1000),
  latency: fc.oneof(fc.nat(100), fc.nat(60_000)),
  first: fc.option(fc.nat(5000)),
  error: fc.option(fc.constantFrom('model_timeout', 'turn_aborted'), { freq: 5 }),
  citations: fc.constantFrom(null, [], ['source-a'], ['source-a', 'source-b', 'source-a']),
})

/** An event in the life of an agent, chosen at random. */
export const historyStep = fc.oneof(
  fc.record({
    do: fc.constant('start' as const),
    source: fc.constantFrom('api', 'widget', 'dashboard'),
    endUser: fc.constantFrom(null, 'ann', 'bob', 'cleo'),
    question: fc.constantFrom('How much?', 'HOW MUCH', 'When?', 'Where is it?', '…'),
    answer,
  }),
  fc.record({ do: fc.constant('continue' as const), which: fc.nat(), answer }),
  fc.record({
    do: fc.constant('rate' as const),
    which: fc.nat(),
    rating: fc.constantFrom('up' as const, 'down' as const, null),
  }),
  fc.record({ do: fc.constant('call' as const), which: fc.nat(), ok: fc.boolean() }),
  fc.record({
    do: fc.constant('charge' as const),
    which: fc.nat(),
    micros: fc.nat(1_000_000),
    model: fc.constantFrom('openai/unpriced', 'local/extractive', null),
    /** Without tokens, the turn got no answer. */
    tokens: fc.nat(2),
  }),
  fc.record({ do: fc.constant('order' as const), amount: fc.nat(10_000), back: fc.nat(10_000) }),
  fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 2000 }) }),
  fc.record({ do: fc.constant('rollUp' as const) }),
  fc.record({ do: fc.constant('erase' as const), endUser: fc.constantFrom('ann', 'bob') }),
)

type Step = typeof historyStep extends fc.Arbitrary<infer S> ? S : never
type Answer = typeof answer extends fc.Arbitrary<infer A> ? A : never

/** The expected record of an event, independent of how the service stores it. */
export interface RecordedEvent {
  readonly at: number
  /** The channel; of orders and of costs without a conversation, none. */
  readonly source?: string | undefined
  readonly sessions?: number
  readonly messages?: number
  readonly user?: { name: string } | null
  readonly answer?: Answer
  readonly rating?: { now: 'up' | 'down' | null }
  readonly call?: boolean
  readonly micros?: number
  /** The model that the turn of a cost was answered by. */
  readonly answeredBy?: string | null
  readonly amount?: number
  readonly question?: { now: string | null }
}

/** Carries out the steps and records the expected events. */
export class AgentHistory {
  readonly #instance: TestInstance
  readonly #person: Person
  readonly events: RecordedEvent[] = []
  readonly agentId: string
  readonly #sessions: {
    id: string
    source: string
    count: number
    user: { name: string } | null
    erased: boolean
    question: { now: string | null }
    answers: { id: string; rating: { now: 'up' | 'down' | null } }[]
  }[] = []

  constructor(instance: TestInstance, person: Person, agentId: string) {
    this.#instance = instance
    this.#person = person
    this.agentId = agentId
  }

  get #now() {
    return this.#instance.ctx.clock.now()
  }

  #liveSession(which: number) {
    const live = this.#sessions.filter(({ erased }) => !erased)
    return live[which % Math.max(1, live.length)]
  }

  async take(next: Step): Promise<void> {
    this.#instance.advance(7)
    switch (next.do) {
      case 'start':
        return await this.#start(next)
      case 'continue':
        return await this.#continue(next.which, next.answer)
      case 'rate':
        return await this.#rate(next.which, next.rating)
      case 'call':
        return await this.#call(next.which, next.ok)
      case 'charge':
        return await this.#charge(next)
      case 'order':
        return await this.#order(next.amount, Math.min(next.amount, next.back))
      case 'wait':
        return this.#instance.advance(next.minutes * minute)
      case 'rollUp':
        return await rollUp(this.#instance.ctx)
      case 'erase':
        return await this.#erase(next.endUser)
    }
  }

  async #start({ source, question, answer: said, ...by }: Extract<Step, { do: 'start' }>) {
    const at = this.#now
    // Test conversations have no end user.
    const endUser = source === 'dashboard' ? null : by.endUser
    const user =
      this.#sessions.find((one) => !one.erased && one.user?.name === endUser)?.user ??
      (endUser === null ? null : { name: endUser })
    const place = { workspaceId: this.#person.workspaceId, agentId: this.agentId, source, endUser }
    const messages = [{ role: 'user', at, content: question } as const, row(said, at + 3)]
    const { id, messageIds } = await storeSession(this.#instance.ctx.db, { ...place, messages })
    const rating = { now: null }
    const asked = { now: questionText(question) || null }
    const answers = [{ id: messageIds[1]!, rating }]
    this.#sessions.push({ id, source, count: 2, user, erased: false, question: asked, answers })
    this.events.push({ at, source, sessions: 1, messages: 1, user, question: asked })
    this.events.push({ at: at + 3, source, messages: 1, answer: said, rating })
  }

  async #continue(which: number, said: Answer) {
    const session = this.#liveSession(which)
    if (session === undefined) return
    const at = this.#now
    const messages = [{ role: 'user', at, content: 'And then?' } as const, row(said, at + 3)]
    const { db } = this.#instance.ctx
    const [, id] = await storeMessages(db, session.id, session.count, messages)
    session.count += 2
    const rating = { now: null }
    session.answers.push({ id: id!, rating })
    const { source, user } = session
    this.events.push({ at, source, messages: 1, user })
    this.events.push({ at: at + 3, source, messages: 1, answer: said, rating })
  }

  async #rate(which: number, rating: 'up' | 'down' | null) {
    const session = this.#liveSession(which)
    const rated = session?.answers[which % session.answers.length]
    if (session === undefined || rated === undefined) return
    const given = { sessionId: session.id, messageId: rated.id, rating, comment: null }
    await rateAnswer(this.#instance.ctx, this.#person, given)
    rated.rating.now = rating
  }

  async #call(which: number, ok: boolean) {
    const session = this.#liveSession(which)
    if (session === undefined) return
    const at = this.#now
    const call = {
      id: newId(),
      workspace_id: this.#person.workspaceId,
      agent_id: this.agentId,
      session_id: session.id,
      message_id: newId(),
      kind: 'action',
      name: 'look',
      title: '',
      arguments_json: '{}',
      status: ok ? 'done' : 'failed',
      created_at: at - 100,
      finished_at: at,
    }
    await this.#instance.ctx.db.write((tx) =>
      tx
        .insertInto('action_calls')
        .values(call as never)
        .execute(),
    )
    this.events.push({ at, source: session.source, call: ok })
  }

  async #charge({ which, micros, model, tokens }: Extract<Step, { do: 'charge' }>) {
    const at = this.#now
    const session = this.#liveSession(which)
    const entry = {
      id: newId(),
      workspace_id: this.#person.workspaceId,
      kind: 'turn',
      amount_micros: -micros,
      agent_id: this.agentId,
      session_id: session?.id ?? null,
      end_user: session?.user?.name ?? null,
      model,
      completion_tokens: tokens,
      counted_at: at,
      created_at: at,
    }
    await this.#instance.ctx.db.write((tx) =>
      tx
        .insertInto('credit_entries')
        .values(entry as never)
        .execute(),
    )
    const answeredBy = tokens === 0 ? null : model
    this.events.push({ at, source: session?.source, micros, answeredBy })
  }

  async #order(amount: number, back: number) {
    const at = this.#now
    const place = { workspace_id: this.#person.workspaceId, agent_id: this.agentId, created_at: at }
    const [checkout, order, key] = [newId(), newId(), newId()]
    const rest = { currency: 'eur', updated_at: at, status: 'created' }
    await this.#instance.ctx.db.write(async (tx) => {
      const owner = { kind: 'acp', hash: key, last4: '', name: '', user_id: this.#person.userId }
      await tx
        .insertInto('api_keys')
        .values({ ...place, ...owner, id: key } as never)
        .execute()
      const session = { ...place, ...rest, id: checkout, api_key_id: key, choices_json: '{}' }
      await tx
        .insertInto('checkout_sessions')
        .values({ ...session, quote_json: '{}', expires_at: at })
        .execute()
      const placed = {
        ...place,
        ...rest,
        id: order,
        session_id: checkout,
        number: this.events.length,
      }
      await tx
        .insertInto('orders')
        .values({
          ...placed,
          is_test: 1,
          total_amount: amount,
          document_json: '{}',
          receipt_key: key,
        })
        .execute()
      const refund = { ...place, ...rest, id: newId(), kind: 'refund', session_id: checkout }
      if (back > 0)
        await tx
          .insertInto('payments')
          .values({
            ...refund,
            order_id: order,
            provider: 'test',
            status: 'succeeded',
            amount: back,
          } as never)
          .execute()
    })
    this.events.push({ at, amount: amount - back })
  }

  async #erase(endUser: string) {
    const user = { appId: this.agentId, endUser }
    await eraseEndUser(this.#instance.ctx, actorOf(this.#person), this.#person.workspaceId, user)
    // Their past sessions have no end user from now on, but still count as one user's.
    for (const session of this.#sessions)
      if (session.user?.name === endUser) {
        session.erased = true
        session.question.now = null
      }
  }
}

function row(said: Answer, at: number) {
  const cited = said.citations?.map((source_id) => ({ source_id, passage: 'p' })) ?? null
  return {
    role: 'assistant' as const,
    at,
    model: said.model,
    prompt_tokens: said.prompt,
    completion_tokens: said.completion,
    latency_ms: said.latency,
    first_token_ms: said.first,
    error_code: said.error,
    citations_json: cited === null ? null : JSON.stringify(cited),
  }
}
