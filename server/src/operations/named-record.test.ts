import { beforeAll, expect, test } from 'vitest'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { runOperation } from './run-operation.ts'

describeInstance('the names of records in logs', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function run(name: string, input: Record<string, unknown> = {}, person = ada) {
    instance.advance(1000)
    return await runOperation(instance.ctx, actorOf(person), findOperation(name)!, input)
  }

  interface Entry {
    readonly action: string
    readonly target: string
    readonly record: Record<string, unknown> | null
  }
  // The operations' own output schemas have checked them.
  const entries = async (name: string, input = {}) => (await run(name, input)).items as Entry[]

  test('are the names by which people know the records', async () => {
    const bob = await instance.person()
    await instance.join(bob, ada.workspaceId, 'viewer')
    const agent = await run('create_app', { name: 'Helper' })
    await run('create_chat_key', { app_id: agent.id, name: 'Website' })
    await run('change_member_role', { user_id: bob.userId, role: 'editor' })
    const named = (await entries('list_audit_events')).map(({ action, record }) => [action, record])
    const own = { agent: agent.app_name_id }
    expect(Object.fromEntries(named)).toMatchObject({
      create_app: { kind: 'agent', id: agent.id, name: 'Helper', ...own },
      create_chat_key: { kind: 'chat_key', name: 'Website', ...own },
      change_member_role: { kind: 'member', id: bob.userId, agent: null },
    })
  })

  test('are known for the ids among the values of an event, and never those of another workspace', async () => {
    const bob = await instance.person()
    const foreign = await run('create_app', { name: 'Foreign' }, bob)
    const agent = await run('create_app', { name: 'Named' })
    await run('create_chat_key', { app_id: agent.id, name: `For ${String(foreign.id)}` })
    const [event] = (await entries('list_audit_events', {
      action: 'create_chat_key',
    })) as (Entry & { after: Record<string, unknown>; mentions: Record<string, unknown> })[]
    const { agent_id, name } = event!.after
    expect([agent_id, name]).toEqual([agent.id, `For ${String(foreign.id)}`])
    const own = { kind: 'agent', id: agent.id, name: 'Named', agent: agent.app_name_id }
    expect(event!.mentions[String(agent.id)]).toEqual(own)
    expect(event!.mentions[String(foreign.id)]).toBeUndefined()
  })

  test('of a job is its source; a deleted agent’s records have no page', async () => {
    const { id: app_id, app_name_id } = await run('create_app', { name: 'Reader' })
    const url = 'https://docs.example.com/'
    const source = await run('add_knowledge_source', { app_id, kind: 'url', url })
    const job = async () => (await entries('list_jobs')).find(({ target }) => target === source.id)
    const record = { kind: 'source', id: source.id, name: source.title }
    expect((await job())?.record).toEqual({ ...record, agent: app_name_id })
    await run('delete_app', { app_id })
    expect((await job())?.record).toEqual({ ...record, agent: null })
    const [deleted] = await entries('list_audit_events', { target: app_id })
    expect(deleted?.record).toMatchObject({ name: 'Reader', agent: null })
  })
})
