import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { minuteMs } from '#kernel/durations.ts'
import { AgentHistory, historyStep, type RecordedEvent } from '#test/support/chat/agent-history.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { bucketOf, durationOf } from './duration-buckets.ts'
import { getAppAnalytics } from './index.ts'
import { findDifference } from './usage-store.ts'

const quarter = 15 * minuteMs

describeInstance('the figures', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  function sum(
    events: readonly RecordedEvent[],
    of: (one: RecordedEvent) => number | undefined,
  ): number {
    return events.reduce((total, one) => total + (of(one) ?? 0), 0)
  }

  function nearestRank(durations: readonly number[], share: number): number | null {
    if (durations.length === 0) return null
    const sorted = durations.toSorted((one, other) => one - other)
    return durationOf(bucketOf(sorted[Math.max(1, Math.ceil(sorted.length * share)) - 1]!))
  }

  /** The same figures, computed from the history. */
  function recount(all: readonly RecordedEvent[], since: number, until: number) {
    const events = all.filter(({ at }) => at >= since && at < until)
    const answers = events.flatMap((one) => (one.answer === undefined ? [] : [one.answer]))
    const complete = answers.filter(({ error }) => error === null)
    const latency = complete.map((one) => one.latency)
    const first = complete.map((one) => Math.min(one.first ?? one.latency, one.latency))
    const orders = events.filter(({ amount }) => amount !== undefined)
    return {
      sessions: sum(events, (one) => one.sessions),
      messages: sum(events, (one) => one.messages),
      users: new Set(events.flatMap(({ user }) => user ?? [])).size,
      prompt_tokens: sum(events, (one) => one.answer?.prompt),
      completion_tokens: sum(events, (one) => one.answer?.completion),
      cost_micros: sum(events, (one) => one.micros),
      unpriced_answers: answers.filter(({ model }) => model === 'openai/unpriced').length,
      errors: answers.filter(({ error }) => error !== null).length,
      unanswered: answers.filter((one) => one.error === null && one.citations?.length === 0).length,
      ratings_up: events.filter(({ rating }) => rating?.now === 'up').length,
      ratings_down: events.filter(({ rating }) => rating?.now === 'down').length,
      action_calls: events.filter(({ call }) => call !== undefined).length,
      action_errors: events.filter(({ call }) => call === false).length,
      latency_p50_ms: nearestRank(latency, 0.5),
      latency_p95_ms: nearestRank(latency, 0.95),
      first_token_p50_ms: nearestRank(first, 0.5),
      orders: orders.length,
      revenue: orders.length === 0 ? {} : { eur: sum(orders, (one) => one.amount) },
    }
  }

  /** Orders have no channel and always count. */
  function isCounted(
    { source, amount }: RecordedEvent,
    wanted: { readonly includeTests?: boolean; readonly source?: string },
  ): boolean {
    if (amount !== undefined) return true
    if (wanted.source !== undefined) return source === wanted.source
    return wanted.includeTests === true || source !== 'dashboard'
  }

  function countBy<T>(things: readonly T[]): Map<T, number> {
    return new Map([...Map.groupBy(things, (one) => one)].map(([one, all]) => [one, all.length]))
  }

  function modelsOf(events: readonly RecordedEvent[]) {
    const turns = events.flatMap(({ answeredBy, micros = 0 }) =>
      typeof answeredBy === 'string' ? [{ model: answeredBy, micros }] : [],
    )
    const models = [...Map.groupBy(turns, ({ model }) => model)].map(([model, own]) => ({
      model,
      turns: own.length,
      share: own.length / turns.length,
      costMicros:
        model === 'openai/unpriced' ? null : own.reduce((total, { micros }) => total + micros, 0),
      unpricedTurns: model === 'openai/unpriced' ? own.length : 0,
    }))
    return models.toSorted((a, b) => b.turns - a.turns || (a.model < b.model ? -1 : 1))
  }

  const query = fc.record({
    days: fc.integer({ min: 1, max: 12 }),
    ago: fc.integer({ min: 0, max: 3 }),
    granularity: fc.constantFrom('hour', 'day', 'week', 'month'),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'),
    /** Whether the job has reached every row in the end. */
    isCounted: fc.boolean(),
    channels: fc.constantFrom({}, { includeTests: true }, { source: 'dashboard' }),
  })

  test('equal a recount of the history, whenever rows are rolled up, rated, refunded or erased', async () => {
    // Short histories, the default, seldom have a row, its counting and a change of it.
    const histories = fc.array(historyStep, { maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(histories, query, async (steps, asked) => {
        const { id } = await createAgent(instance.ctx, ada, { name: 'Counted' })
        const history = new AgentHistory(instance, ada, id)
        for (const next of steps) await history.take(next)
        if (asked.isCounted) {
          await history.take({ do: 'wait', minutes: 3 })
          await history.take({ do: 'rollUp' })
        }
        const day = (ago: number) =>
          new Date(instance.ctx.clock.now() - ago * 1440 * minuteMs).toISOString().slice(0, 10)
        const from = day(asked.ago + asked.days - 1)
        const to = day(asked.ago)
        const { granularity, timeZone, channels } = asked
        const events = history.events.filter((one) => isCounted(one, channels))
        const found = await getAppAnalytics(instance.ctx, ada.workspaceId, {
          appId: id,
          from,
          to,
          granularity,
          timeZone,
          ...channels,
        })
        const { range } = found
        const left = await findDifference(instance.ctx.db.read, ada.workspaceId)
        expect(Object.values(left ?? {}).map(Number)).toEqual([0, 0, 0])
        expect(range.since % quarter).toBe(0)
        expect(found.totals).toEqual(recount(events, range.since, range.until))
        const { previous } = range
        expect(found.previous).toEqual(recount(events, previous.since, previous.until))
        const shown = new Map(found.series.map(({ startsAt, ...counts }) => [startsAt, counts]))
        for (const { since, until } of range.periods) {
          const counts = recount(events, since, until)
          const nothing = recount([], since, until)
          expect(shown.get(since) ?? nothing).toEqual(counts)
        }
        expect([...shown.keys()]).toEqual([...shown.keys()].toSorted((a, b) => a - b))
        const begin = range.since - (range.since % (1440 * minuteMs))
        const end = Math.ceil(range.until / (1440 * minuteMs)) * 1440 * minuteMs
        const inDays = events.filter(({ at }) => at >= begin && at < end)
        expect(new Map(found.topQuestions.map((one) => [one.question, one.conversations]))).toEqual(
          countBy(inDays.flatMap(({ question }) => question?.now ?? [])),
        )
        expect(new Map(found.topSources.map((one) => [one.sourceId, one.answers]))).toEqual(
          countBy(inDays.flatMap((one) => [...new Set(one.answer?.citations)])),
        )
        expect(found.topModels).toEqual(modelsOf(inDays))
      }),
      { numRuns: 20 },
    )
  }, 120_000)
})
