import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeGround, type Ground, type Person } from '#test/support/ground.ts'
import { getAppAnalytics } from './index.ts'

const hour = 3_600_000

describeGround('the analytics of an agent', (open) => {
  let ground: Ground
  let ada: Person
  let appId: string

  beforeAll(async () => {
    ground = await open()
    ada = await ground.person()
    appId = (await createAgent(ground.ctx, ada, { name: 'Counted' })).id
    await talk(appId, '2026-01-01T23:59:59.999Z', [{}, { tokens: [10, 5] }])
    // A session that goes on past midnight: each message counts on its own day.
    const long = await talk(appId, '2025-12-31T23:30:00Z', [{}, { tokens: [7, 3] }])
    await say(long, 3, Date.parse('2026-01-01T00:30:00Z'), {})
    await say(long, 4, Date.parse('2026-01-01T00:30:01Z'), { error: 'model_timeout' })
    await talk(appId, '2025-06-01T12:00:00Z', [{}, { tokens: [1, 1] }])
  })

  interface Said {
    readonly tokens?: readonly [number, number]
    readonly error?: string
  }

  async function talk(agentId: string, at: string, messages: readonly Said[]): Promise<string> {
    const id = newId()
    const begun = Date.parse(at)
    const row = {
      id,
      workspace_id: ada.workspaceId,
      agent_id: agentId,
      agent_version: 1,
      source: 'api',
      end_user: null,
      created_at: begun,
      last_message_at: begun + 24 * hour,
      message_count: messages.length,
      lease_token: null,
      lease_until: 0,
    }
    await ground.ctx.db.write((tx) => tx.insertInto('chat_sessions').values(row).execute())
    for (const [index, message] of messages.entries()) await say(id, index + 1, begun, message)
    return id
  }

  async function say(session_id: string, seq: number, at: number, { tokens, error }: Said) {
    const row = {
      session_id,
      seq,
      id: newId(),
      role: seq % 2 === 1 ? 'user' : 'assistant',
      content: 'x',
      parts_json: null,
      model: null,
      prompt_tokens: tokens?.[0] ?? null,
      completion_tokens: tokens?.[1] ?? null,
      latency_ms: null,
      first_token_ms: null,
      finish_reason: null,
      error_code: error ?? null,
      citations_json: null,
      correlation_id: null,
      created_at: at,
    }
    await ground.ctx.db.write((tx) => tx.insertInto('chat_messages').values(row).execute())
  }

  test('count sessions, messages, tokens and errors by day in UTC, empty days left out', async () => {
    const found = await getAppAnalytics(ground.ctx, ada.workspaceId, { appId })
    expect(found).toEqual({
      agentId: appId,
      from: '2025-12-04',
      to: '2026-01-02',
      totals: { sessions: 2, messages: 6, promptTokens: 17, completionTokens: 8, errors: 1 },
      days: [
        {
          date: '2025-12-31',
          sessions: 1,
          messages: 2,
          promptTokens: 7,
          completionTokens: 3,
          errors: 0,
        },
        {
          date: '2026-01-01',
          sessions: 1,
          messages: 4,
          promptTokens: 10,
          completionTokens: 5,
          errors: 1,
        },
      ],
    })
  })

  test('count the first and the last day in', async () => {
    const day = { appId, from: '2025-12-31', to: '2025-12-31' }
    const { totals } = await getAppAnalytics(ground.ctx, ada.workspaceId, day)
    expect(totals).toMatchObject({ sessions: 1, messages: 2 })
    const before = { appId, from: '2025-12-01', to: '2025-12-30' }
    expect((await getAppAnalytics(ground.ctx, ada.workspaceId, before)).days).toEqual([])
  })

  test('are of that agent alone, in that workspace alone', async () => {
    const other = await createAgent(ground.ctx, ada, { name: 'Silent' })
    const silent = await getAppAnalytics(ground.ctx, ada.workspaceId, { appId: other.id })
    expect(silent.days).toEqual([])
    const stranger = await ground.person()
    await expect(
      getAppAnalytics(ground.ctx, stranger.workspaceId, { appId }),
    ).rejects.toMatchObject({ code: 'record_not_found' })
  })

  describe('the range', () => {
    test.each([
      ['2026-01-02', '2026-01-01'],
      ['2024-01-01', '2026-01-01'],
    ])('from %s to %s is refused', async (from, to) => {
      const query = { appId, from, to }
      await expect(getAppAnalytics(ground.ctx, ada.workspaceId, query)).rejects.toMatchObject({
        code: 'range_invalid',
        facts: { most_days: 366 },
      })
    })

    test('may be a year', async () => {
      const query = { appId, from: '2025-01-02', to: '2026-01-02' }
      const { totals } = await getAppAnalytics(ground.ctx, ada.workspaceId, query)
      expect(totals.sessions).toBe(3)
    })
  })
})
