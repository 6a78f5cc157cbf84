import { expect, test } from 'vitest'
import { readConfig } from '#config'
import { createAgent } from '#features/agents/index.ts'
import { createAgentKey } from '#features/api-keys/index.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'

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

  test('count the turns of all agents of a workspace in a day', async () => {
    const { say, post, ctx, owner, agent } = await open({ environment: { TURNS_PER_DAY: '2' } })
    const other = await createAgent(ctx, owner, { name: 'Other' })
    const input = { kind: 'chat', appId: other.id, name: 'Key' } as const
    const { key } = await createAgentKey(ctx, owner, input)
    const ask = { model: other.appNameId, messages: [{ role: 'user', content: 'hi' }] }
    expect((await say('1')).status).toBe(200)
    const second = await post(ask, { authorization: `Bearer ${key}` })
    expect(second.status).not.toBe(429)
    const third = await post({ ...ask, model: agent.app_name_id })
    expect(third.status).toBe(429)
    expect(await third.json()).toEqual({ error: 'Rate limit exceeded' })
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(60)
  })

  test('exist by default, are generous, and can be removed', () => {
    expect(readConfig({})).toMatchObject({ chatRateLimit: 6_000, chatAgentRateLimit: 12_000 })
    expect(readConfig({ CHAT_RATE_LIMIT: 'unlimited' }).chatRateLimit).toBeNull()
    expect(() => readConfig({ CHAT_RATE_LIMIT: '0' })).toThrow('CHAT_RATE_LIMIT must be at least 1')
  })
})
