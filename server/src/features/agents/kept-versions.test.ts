import { expect, test } from 'vitest'
import { describeInstance } from '#test/support/test-instance.ts'
import { createAgent, listAgentVersions, rollbackAgent, updateAgent } from './index.ts'

describeInstance('versions of an agent', (open) => {
  test('the oldest versions beyond AGENT_VERSIONS_KEPT are deleted, of this agent only', async () => {
    const { ctx, person } = await open({ AGENT_VERSIONS_KEPT: '3' })
    const bob = await person()
    const [one, two] = [
      await createAgent(ctx, bob, { name: 'One' }),
      await createAgent(ctx, bob, { name: 'Two' }),
    ]
    for (let n = 2; n <= 5; n += 1)
      await updateAgent(ctx, bob, one.id, { greeting: `Version ${n}` })
    const versionsOf = async (id: string) => {
      const { items } = await listAgentVersions(ctx, bob.workspaceId, id, { limit: 10 })
      return items.map(({ version }) => version)
    }
    expect(await versionsOf(one.id)).toEqual([5, 4, 3])
    expect(await versionsOf(two.id)).toEqual([1])
    await expect(rollbackAgent(ctx, bob, one.id, 2)).rejects.toMatchObject({
      code: 'version_not_found',
    })
    expect((await rollbackAgent(ctx, bob, one.id, 3)).settings.greeting).toBe('Version 3')
  })
})
