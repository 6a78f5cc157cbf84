import { beforeAll, expect, test } from 'vitest'
import { createWebhookEndpoint } from '#features/webhooks/index.ts'
import { createRecords } from '#test/tenancy/create-records.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { nameRecords } from './name-records.ts'

describeInstance('the records that logs mention', (open) => {
  let instance: TestInstance
  let ada: Person
  let ids: Awaited<ReturnType<typeof createRecords>>

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    ids = await createRecords(instance, ada)
  })

  const named = async (given: readonly (string | null)[], { workspaceId } = ada) =>
    await nameRecords(instance.ctx, workspaceId, given)

  test('have a kind, a name, and the agent whose pages show them', async () => {
    const found = await named([...Object.values(ids), null, 'openai'])
    const kinds = Object.entries(ids).map(([name, id]) => [name, found.get(id)?.kind])
    expect(Object.fromEntries(kinds)).toEqual({
      ...Object.fromEntries(Object.keys(ids).map((name) => [name, undefined])),
      app_id: 'agent',
      source_id: 'source',
      action_id: 'action',
      server_id: 'tool_server',
      product_id: 'product',
      order_id: 'order',
      delivery_id: 'order',
      chat_key_id: 'chat_key',
      acp_key_id: 'checkout_key',
      developer_key_id: 'developer_key',
      grant_id: 'connected_app',
      endpoint_id: 'webhook',
      session_id: 'conversation',
      user_id: 'member',
      invitation_id: 'invitation',
      workspace_id: 'workspace',
    })
    const agent = expect.stringMatching(/^secret-agent/)
    const order = { kind: 'order', id: ids.order_id, name: '1', agent }
    expect([ids.order_id, ids.delivery_id].map((id) => found.get(id))).toEqual([order, order])
    expect(found.get(ids.source_id)).toMatchObject({ id: ids.source_id, name: 'Secret', agent })
    expect(found.get(ids.developer_key_id)?.agent).toBeNull()
    const talk = { id: ids.session_id, name: 'Secret agent', agent }
    expect(found.get(ids.session_id)).toMatchObject(talk)
    // An invitation without an e-mail is for whoever holds its link.
    expect(found.get(ids.invitation_id)?.name).toBe('viewer')
  })

  test('show an address of a webhook without what may be a credential', async () => {
    const { ctx } = instance
    const address = 'https://shop.example/orders?key=wh0k3ywh0k3y'
    const { id } = await createWebhookEndpoint(ctx, ada.workspaceId, ids.app_id, address)
    const { name } = (await named([id])).get(id) ?? {}
    expect(name).toMatch(/^https:\/\/shop\.example\/orders\?key=/)
    expect(name).not.toContain('wh0k3y')
  })

  test('are never those of another workspace', async () => {
    const eve = await instance.person()
    expect(await named(Object.values(ids), eve)).toEqual(new Map())
  })
})
