import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeMessages, storeSession, type MessageInput } from '#test/support/chat/chat-history.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { getAppAnalytics, rollUp } from './index.ts'

describeInstance('the analytics of an agent', (open) => {
  let instance: TestInstance
  let ada: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    appId = (await createAgent(instance.ctx, ada, { name: 'Counted' })).id
    await talk('2026-01-01T23:59:59.999Z', { prompt_tokens: 10, completion_tokens: 5 })
    // A session that continues past midnight: each message counts on its own day.
    const long = await talk('2025-12-31T23:30:00Z', { prompt_tokens: 7, completion_tokens: 3 })
    const later = Date.parse('2026-01-01T00:30:00Z')
    await storeMessages(instance.ctx.db, long, 2, [
      { role: 'user', at: later },
      { role: 'assistant', at: later + 1000, error_code: 'model_timeout' },
    ])
    await talk('2025-06-01T12:00:00Z', { prompt_tokens: 1, completion_tokens: 1 })
  })

  async function talk(at: string, answer: Partial<MessageInput>): Promise<string> {
    const begun = Date.parse(at)
    const place = { workspaceId: ada.workspaceId, agentId: appId }
    const messages = [
      { role: 'user', at: begun },
      { ...answer, role: 'assistant', at: begun },
    ] as const
    return (await storeSession(instance.ctx.db, { ...place, messages })).id
  }

  const days = [
    {
      startsAt: Date.parse('2025-12-31T00:00:00Z'),
      sessions: 1,
      messages: 2,
      prompt_tokens: 7,
      completion_tokens: 3,
      errors: 0,
    },
    {
      startsAt: Date.parse('2026-01-01T00:00:00Z'),
      sessions: 1,
      messages: 4,
      prompt_tokens: 10,
      completion_tokens: 5,
      errors: 1,
    },
  ]

  test.each(['before', 'after'])(
    'count sessions, messages, tokens and errors by day without empty days, %s the roll-up',
    async (when) => {
      if (when === 'after') await rollUp(instance.ctx)
      const found = await getAppAnalytics(instance.ctx, ada.workspaceId, { appId })
      expect(found).toMatchObject({
        agentId: appId,
        range: { from: '2025-12-04', to: '2026-01-02', timeZone: 'UTC' },
        totals: { sessions: 2, messages: 6, prompt_tokens: 17, completion_tokens: 8, errors: 1 },
        previous: { sessions: 0, messages: 0 },
        series: days,
      })
    },
  )

  test('include the first and the last day', async () => {
    const day = { appId, from: '2025-12-31', to: '2025-12-31' }
    const { totals } = await getAppAnalytics(instance.ctx, ada.workspaceId, day)
    expect(totals).toMatchObject({ sessions: 1, messages: 2 })
    const before = { appId, from: '2025-12-01', to: '2025-12-30' }
    expect((await getAppAnalytics(instance.ctx, ada.workspaceId, before)).series).toEqual([])
  })

  test('begin days at local midnight, also in a time zone that is half an hour off', async () => {
    const query = { appId, from: '2026-01-01', to: '2026-01-02', timeZone: 'Asia/Kolkata' }
    const { series } = await getAppAnalytics(instance.ctx, ada.workspaceId, query)
    expect(series).toMatchObject([
      { startsAt: Date.parse('2026-01-01T00:00:00+05:30'), sessions: 1, messages: 4 },
      { startsAt: Date.parse('2026-01-02T00:00:00+05:30'), sessions: 1, messages: 2 },
    ])
  })

  test('include the figures of the days before', async () => {
    const query = { appId, from: '2026-01-01', to: '2026-01-01' }
    const { totals, previous } = await getAppAnalytics(instance.ctx, ada.workspaceId, query)
    expect(totals).toMatchObject({ sessions: 1, messages: 4 })
    expect(previous).toMatchObject({ sessions: 1, messages: 2 })
  })

  test('cover that agent alone, in that workspace alone', async () => {
    const other = await createAgent(instance.ctx, ada, { name: 'Silent' })
    const silent = await getAppAnalytics(instance.ctx, ada.workspaceId, { appId: other.id })
    expect(silent.series).toEqual([])
    const stranger = await instance.person()
    await expect(
      getAppAnalytics(instance.ctx, stranger.workspaceId, { appId }),
    ).rejects.toMatchObject({ code: 'record_not_found' })
  })

  describe('the range', () => {
    test.each([
      ['2026-01-02', '2026-01-01'],
      ['2024-01-01', '2026-01-01'],
      ['9999-12-31', '9999-12-31'],
      [undefined, '0000-01-05'],
      ['0000-01-01', '0000-01-05'],
    ])('from %s to %s is refused', async (from, to) => {
      const query = { appId, from, to }
      await expect(getAppAnalytics(instance.ctx, ada.workspaceId, query)).rejects.toMatchObject({
        code: 'range_invalid',
        facts: { most_days: 366 },
      })
    })

    test('may be one year', async () => {
      const query = { appId, from: '2025-01-02', to: '2026-01-02' }
      const { totals } = await getAppAnalytics(instance.ctx, ada.workspaceId, query)
      expect(totals.sessions).toBe(3)
    })

    test('may be at most a month by the hour', async () => {
      const query = { appId, from: '2025-12-01', to: '2026-01-02', granularity: 'hour' } as const
      await expect(getAppAnalytics(instance.ctx, ada.workspaceId, query)).rejects.toMatchObject({
        code: 'range_invalid',
        facts: { most_days: 31 },
      })
    })

    test('in an unknown time zone is refused', async () => {
      const query = { appId, timeZone: 'Mars/Olympus' }
      await expect(getAppAnalytics(instance.ctx, ada.workspaceId, query)).rejects.toMatchObject({
        code: 'time_zone_unknown',
      })
    })
  })
})
