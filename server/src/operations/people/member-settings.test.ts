import { beforeAll, expect, test } from 'vitest'
import { storeSession } from '#test/support/chat/chat-history.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('what a member chose in a workspace', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function call(name: string, input: Record<string, unknown> = {}, as = ada) {
    return await runOperation(instance.ctx, actorOf(as), findOperation(name)!, input)
  }

  const agent = async (name: string) => {
    const { id, app_name_id } = await call('create_app', { name })
    return { id: String(id), app_name_id: String(app_name_id), name }
  }

  test('each first step is done when the records show it, and the demo agent does not count', async () => {
    const none = {
      hidden: false,
      model_connected: false,
      agent_created: false,
      knowledge_added: false,
      tried: false,
      shared: false,
      agent: null,
    }
    const demo = await agent('Demo')
    await call('add_knowledge_source', { app_id: demo.id, kind: 'text', title: 'T', text: 'x' })
    await call('create_chat_key', { app_id: demo.id, name: 'K' })
    await instance.ctx.db.write(async (tx) => {
      await tx.insertInto('meta').values({ key: 'demo_agent_id', value: demo.id }).execute()
    })
    expect(await call('get_first_steps')).toEqual(none)
    const shop = await agent('Shop')
    expect(await call('get_first_steps')).toEqual({ ...none, agent_created: true, agent: shop })
    await call('set_provider', { provider: 'openai', api_key: 'sk-x' })
    await call('add_knowledge_source', { app_id: shop.id, kind: 'text', title: 'T', text: 'x' })
    const messages = [{ role: 'user', at: 1 } as const]
    await storeSession(instance.ctx.db, {
      workspaceId: ada.workspaceId,
      agentId: shop.id,
      messages,
    })
    const key = await call('create_chat_key', { app_id: shop.id, name: 'K' })
    const all = await call('get_first_steps')
    expect(all).toMatchObject({ model_connected: true, knowledge_added: true, tried: true })
    expect(all).toMatchObject({ shared: true })
    await call('revoke_chat_key', { id: key.id })
    await call('update_chat_page', { app_id: shop.id, title: '"enabled":true' })
    expect(await call('get_first_steps')).toMatchObject({ shared: false })
    await call('update_chat_page', { app_id: shop.id, enabled: true })
    expect(await call('get_first_steps')).toMatchObject({ shared: true })
  })

  test('hidden steps and pins are the member’s own, in that workspace alone', async () => {
    const bob = await instance.person()
    await instance.join(bob, ada.workspaceId, 'viewer')
    const here = { workspace_id: ada.workspaceId }
    const [one, two] = [await agent('One'), await agent('Two')]
    await call('hide_first_steps', here, bob)
    await call('pin_app', { app_id: two.app_name_id }, bob)
    await call('pin_app', { app_id: one.id }, bob)
    await call('pin_app', { app_id: one.id }, bob)
    expect(await call('get_first_steps', here, bob)).toMatchObject({ hidden: true })
    expect(await call('get_pinned_apps', here, bob)).toEqual({ items: [two, one] })
    expect(await call('get_first_steps', here)).toMatchObject({ hidden: false })
    expect(await call('get_first_steps', {}, bob)).toMatchObject({ hidden: false })
    expect(await call('get_pinned_apps', here)).toEqual({ items: [] })
    await call('hide_first_steps', { ...here, hidden: false }, bob)
    expect(await call('get_first_steps', here, bob)).toMatchObject({ hidden: false })
  })

  test('a pin can be removed, and is gone with its agent', async () => {
    const [one, two] = [await agent('One'), await agent('Two')]
    for (const { id } of [one, two]) await call('pin_app', { app_id: id })
    await call('pin_app', { app_id: one.id, pinned: false })
    expect(await call('get_pinned_apps')).toEqual({ items: [two] })
    await call('delete_app', { app_id: two.id })
    expect(await call('get_pinned_apps')).toEqual({ items: [] })
  })
})
