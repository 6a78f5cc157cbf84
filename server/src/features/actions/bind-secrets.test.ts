import { beforeAll, expect, test } from 'vitest'
import { createAgent, deleteAgent, type Agent } from '#features/agents/index.ts'
import { listSecretsWithoutHosts, listVariables, setVariable } from '#features/variables/index.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { bindSecrets, createAction } from './index.ts'

describeInstance('secrets that were stored before hosts were required', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Old' })
    const { ctx } = instance
    const of = { appId: agent.id }
    const hosts = ['before.example']
    for (const name of ['USED', 'TWICE', 'UNUSED', 'IN_URL', 'NOWHERE', 'CHOSEN', 'MANY'])
      await setVariable(ctx, ada.workspaceId, {
        ...of,
        name,
        kind: 'secret',
        value: 'hidden',
        hosts,
      })
    const hook = {
      ...of,
      name: 'HOOK',
      kind: 'secret',
      value: 'https://hooks.example/T0/x',
      hosts,
    } as const
    await setVariable(ctx, ada.workspaceId, hook)
    const base = {
      ...of,
      name: 'BASE',
      kind: 'url',
      value: 'https://base.example:8443/v1',
    } as const
    await setVariable(ctx, ada.workspaceId, base)
    const header = (name: string) => ({ 'X-Key': `{{var.${name}}}` })
    for (const [name, action] of Object.entries({
      one: { url: 'https://one.example/{id}', headers: header('USED') },
      two: { url: '{{var.BASE}}/two', headers: header('TWICE') },
      three: { url: 'https://three.example/?k={{var.TWICE}}' },
      four: { url: 'https://four.example/{{var.IN_URL}}', enabled: false },
      five: { url: '{{var.HOOK}}' },
      six: { url: 'https://{{var.MISSING}}/', headers: header('NOWHERE') },
      seven: { url: 'https://{{var.MISSING}}/', headers: header('USED') },
      ...Object.fromEntries(
        Array.from({ length: 25 }, (_, n) => [
          `many_${n}`,
          { url: `https://m${n}.example/`, headers: header('MANY') },
        ]),
      ),
    }))
      await createAction(ctx, ada.workspaceId, agent.id, {
        name,
        description: name,
        method: 'GET',
        parameters: name === 'one' ? [{ in: 'path', key: 'id', source: 'ai' }] : [],
        ...action,
      })
    await ctx.db.write((tx) =>
      tx
        .updateTable('agent_variables')
        .set({ hosts_json: null })
        .where('name', '<>', 'CHOSEN')
        .execute(),
    )
  })

  async function hostsOf() {
    const { items } = await listVariables(instance.ctx, ada.workspaceId, agent.id, { limit: 99 })
    return Object.fromEntries(items.map(({ name, hosts }) => [name, hosts]))
  }

  test('get the hosts of the actions that use them, once', async () => {
    expect(await bindSecrets(instance.ctx)).toEqual({ bound: 5, unbound: 2 })
    expect(await hostsOf()).toEqual({
      BASE: null,
      CHOSEN: ['before.example'],
      HOOK: ['hooks.example'],
      IN_URL: ['four.example'],
      // Each host that the actions use, however many there are.
      MANY: expect.toSatisfy((hosts: readonly string[]) => new Set(hosts).size === 25),
      NOWHERE: [],
      TWICE: ['base.example:8443', 'three.example'],
      UNUSED: [],
      USED: ['one.example'],
    })
    expect(await bindSecrets(instance.ctx)).toEqual({ bound: 0, unbound: 0 })
  })

  test('are listed for the operator if not all their actions name a host, also of a deleted agent', async () => {
    await bindSecrets(instance.ctx)
    const listed = { appNameId: agent.appNameId, isDeleted: false, hosts: [] }
    expect(await listSecretsWithoutHosts(instance.ctx.db.read)).toEqual([
      { ...listed, name: 'NOWHERE' },
      { ...listed, name: 'UNUSED' },
      { ...listed, name: 'USED', hosts: ['one.example'] },
    ])
    const used = { appId: agent.id, name: 'USED', kind: 'secret', value: 'hidden' } as const
    await setVariable(instance.ctx, ada.workspaceId, { ...used, hosts: ['one.example'] })
    await deleteAgent(instance.ctx, ada.workspaceId, agent.id)
    const left = await listSecretsWithoutHosts(instance.ctx.db.read)
    expect(left.filter(({ appNameId }) => appNameId === agent.appNameId)).toEqual([
      { ...listed, isDeleted: true, name: 'NOWHERE' },
      { ...listed, isDeleted: true, name: 'UNUSED' },
    ])
  })
})
