import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgent, deleteAgent, type Agent } from '#features/agents/index.ts'
import { createDeveloperKey, listDeveloperKeys } from '#features/api-keys/index.ts'
import { authenticateBearer } from '#features/grants/index.ts'
import { createWorkspace, type Workspace } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Reach } from '#kernel/reach.ts'
import { leave } from '#test/support/identity/oauth-flow.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { runOperation } from './run-operation.ts'

describeInstance('what a developer key reaches', (open) => {
  let instance: TestInstance
  let ada: Person
  let second: Workspace
  let agent: Agent
  let other: Agent

  beforeAll(async () => {
    instance = await open({ DEFAULT_PLAN: 'builder' })
  })

  beforeEach(async () => {
    const { ctx } = instance
    ada = await instance.person()
    second = await createWorkspace(ctx, ada.userId, { name: 'Second' })
    agent = await createAgent(ctx, ada, { name: 'Bound' })
    other = await createAgent(ctx, { ...ada, workspaceId: second.id }, { name: 'Other' })
  })

  type Picked = Partial<Record<'workspaces' | 'agents', readonly string[]>>

  function makeKey(picked: Picked) {
    return createDeveloperKey(instance.ctx, { ...ada, role: 'owner' }, { name: 'CI', ...picked })
  }

  /** Calls operations with a key, as the MCP server does. */
  async function callerWith(picked: Picked) {
    const { key } = await makeKey(picked)
    return async (name: string, input: Record<string, unknown> = {}) => {
      const { actor } = await authenticateBearer(instance.ctx, key)
      const operation = findOperation(name)
      if (operation === undefined) throw new Error(`no operation ${name}`)
      return await runOperation(instance.ctx, actor, operation, input)
    }
  }

  const ids = (list: Record<string, unknown>) =>
    (list.items as { id: string }[]).map(({ id }) => id) // A list of records.

  const notFound = { code: 'record_not_found' }

  test('without picks it is everything that its user may reach', async () => {
    const call = await callerWith({})
    expect(ids(await call('list_workspaces'))).toEqual([ada.workspaceId, second.id])
    expect(await call('get_app', { app_id: other.id })).toMatchObject({ id: other.id })
    expect(await call('create_workspace', { name: 'Third' })).toMatchObject({ name: 'Third' })
    expect(await call('whoami')).toMatchObject({ reach: null })
  })

  test('an agent may be picked by its name id, and whoami shows it', async () => {
    const call = await callerWith({ agents: [agent.appNameId] })
    expect(await call('whoami')).toMatchObject({
      reach: { workspaces: [], agents: [{ id: agent.id, name: 'Bound' }] },
    })
    expect(ids(await call('list_apps'))).toEqual([agent.id])
    expect(await call('update_app', { app_id: agent.id, name: 'New' })).toMatchObject({
      name: 'New',
    })
    await expect(call('create_app', { name: 'More' })).rejects.toMatchObject({
      code: 'credential_bound',
    })
    await expect(call('duplicate_app', { app_id: agent.id })).rejects.toMatchObject({
      code: 'credential_bound',
    })
  })

  test('a picked workspace includes agents created later, also by the key', async () => {
    const call = await callerWith({ workspaces: [ada.workspaceId] })
    const made = await call('create_app', { name: 'Later' })
    expect(await call('get_app', { app_id: made.id })).toMatchObject({ name: 'Later' })
    expect(ids(await call('list_workspaces'))).toEqual([ada.workspaceId])
    await expect(call('create_workspace', { name: 'Third' })).rejects.toMatchObject({
      code: 'credential_bound',
    })
  })

  test('an agent elsewhere cannot be copied into a picked workspace', async () => {
    const call = await callerWith({ workspaces: [ada.workspaceId] })
    const copy = { app_id: other.id, workspace_id: ada.workspaceId }
    await expect(call('duplicate_app', copy)).rejects.toMatchObject(notFound)
    const away = { app_id: agent.id, workspace_id: second.id }
    await expect(call('duplicate_app', away)).rejects.toMatchObject(notFound)
  })

  test('a deleted agent leaves a key that reaches nothing, not everything', async () => {
    const call = await callerWith({ agents: [agent.id] })
    await deleteAgent(instance.ctx, ada.workspaceId, agent.id)
    await expect(call('get_app', { app_id: agent.id })).rejects.toMatchObject(notFound)
    expect(ids(await call('list_apps'))).toEqual([])
    const fresh = await createAgent(instance.ctx, ada, { name: 'Fresh' })
    await expect(call('get_app', { app_id: fresh.id })).rejects.toMatchObject(notFound)
  })

  test('an agent that moved to another workspace is beyond reach', async () => {
    const call = await callerWith({ agents: [agent.id] })
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('agents')
        .set({ workspace_id: second.id })
        .where('id', '=', agent.id)
        .execute(),
    )
    await expect(call('get_app', { app_id: agent.id })).rejects.toMatchObject(notFound)
  })

  test('it ends with the membership of a picked workspace', async () => {
    const owner = await instance.person()
    await instance.join(ada, owner.workspaceId, 'editor')
    const theirs = await createAgent(instance.ctx, owner, { name: 'Theirs' })
    const call = await callerWith({ workspaces: [ada.workspaceId, owner.workspaceId] })
    expect(await call('get_app', { app_id: theirs.id })).toMatchObject({ id: theirs.id })
    await leave(instance, ada, owner.workspaceId)
    await expect(call('get_app', { app_id: theirs.id })).rejects.toMatchObject(notFound)
    expect(ids(await call('list_workspaces'))).toEqual([ada.workspaceId])
  })

  describe('a key is not created', () => {
    test('for a workspace or an agent of others, or for none that exists', async () => {
      const stranger = await instance.person()
      const theirs = await createAgent(instance.ctx, stranger, { name: 'Theirs' })
      for (const picked of [
        { workspaces: [ada.workspaceId, stranger.workspaceId] },
        { workspaces: [newId()] },
        { agents: [agent.id, theirs.id] },
        { agents: [theirs.appNameId] },
        { agents: [newId()] },
      ])
        await expect(makeKey(picked)).rejects.toMatchObject({ code: 'reach_unknown' })
    })

    test('that could not act in its own workspace', async () => {
      const elsewhere = makeKey({ agents: [other.id] })
      await expect(elsewhere).rejects.toMatchObject({ code: 'reach_misses_workspace' })
    })
  })

  test('a damaged reach refuses the key instead of freeing it', async () => {
    const { id, key } = await makeKey({ agents: [agent.id] })
    await instance.ctx.db.write((tx) =>
      tx.updateTable('api_keys').set({ reach_json: '{}' }).where('id', '=', id).execute(),
    )
    await expect(authenticateBearer(instance.ctx, key)).rejects.toThrow()
  })

  test('an admin sees what a member’s key is bound to, but no names of other workspaces', async () => {
    const admin = await instance.person()
    await instance.join(admin, ada.workspaceId, 'admin')
    await makeKey({ workspaces: [ada.workspaceId, second.id] })
    const list = findOperation('list_developer_keys')
    if (list === undefined) throw new Error('no operation')
    const actor = { ...actorOf(admin), workspaceId: ada.workspaceId }
    const { items } = await runOperation(instance.ctx, actor, list, {})
    expect(items).toMatchObject([
      { reach: { workspaces: [{ name: expect.any(String) }, { id: second.id, name: null }] } },
    ])
    const stored = await listDeveloperKeys(instance.ctx, { ...ada, role: 'owner' }, { limit: 5 })
    const expected: Reach = { workspaces: [ada.workspaceId, second.id], agents: {} }
    expect(stored.items.map(({ reach }) => reach)).toEqual([expected])
  })
})
