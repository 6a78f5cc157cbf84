import { expect, test } from 'vitest'
import { readConfig } from '#config'
import { createAgentKey } from '#features/api-keys/index.ts'
import { describeChat } from '#test/support/chat-service.ts'

describeChat('the rate limits of chat', (open) => {
  test('count an agent’s requests together, whatever their key', async () => {
    const { say, post, agent, ctx, owner } = await open({
      environment: { CHAT_AGENT_RATE_LIMIT: '2' },
    })
    expect((await say('1')).status).toBe(200)
    expect((await say('2')).status).toBe(200)
    const input = { kind: 'chat', appId: agent.id, name: 'Another' } as const
    const { key } = await createAgentKey(ctx, owner, input)
    const third = await post(
      { model: agent.app_name_id, messages: [{ role: 'user', content: '3' }] },
      { authorization: `Bearer ${key}` },
    )
    expect(third.status).toBe(429)
    expect(await third.json()).toEqual({ error: 'Rate limit exceeded' })
    const wait = Number(third.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
  })

  test('exist by default, are generous, and can be removed', () => {
    expect(readConfig({})).toMatchObject({ chatRateLimit: 6_000, chatAgentRateLimit: 12_000 })
    expect(readConfig({ CHAT_RATE_LIMIT: 'unlimited' }).chatRateLimit).toBeNull()
    expect(() => readConfig({ CHAT_RATE_LIMIT: '0' })).toThrow('CHAT_RATE_LIMIT must be at least 1')
  })
})
