import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Scope } from '#kernel/scope.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { runOperation } from './run-operation.ts'

const secret = 'wh0k3y'
const hidden = '••••••'

describeInstance('a stored address that holds a secret', (open) => {
  let instance: TestInstance
  let ada: Person
  let viewer: Person
  let agentId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    viewer = await instance.person()
    await instance.join(viewer, ada.workspaceId, 'viewer')
    agentId = (await createAgent(instance.ctx, ada, { name: 'Shop', model: 'local/extractive' })).id
    await run(ada, 'create_webhook_endpoint', {
      app_id: agentId,
      url: `https://shop.example/orders?key=${secret}`,
    })
    await withLogin(`https://ada:${secret}@shop.example/orders`)
    await withServer(`https://mcp.example/mcp?api=${secret}`)
  })

  function run(person: Person, name: string, input: object, scopes: readonly Scope[] = ['*']) {
    const actor = actorOf(person, { scopes, surface: 'dashboard' })
    return runOperation(instance.ctx, actor, findOperation(name)!, input)
  }

  /** From before such addresses were refused. */
  async function withLogin(url: string) {
    const row = {
      id: newId(0),
      workspace_id: ada.workspaceId,
      agent_id: agentId,
      url,
      secret_sealed: instance.ctx.vault.seal('s'),
      created_at: 0,
      deleted_at: null,
    }
    await instance.ctx.db.write((tx) => tx.insertInto('webhook_endpoints').values(row).execute())
  }

  async function withServer(url: string) {
    const row = {
      id: newId(0),
      workspace_id: ada.workspaceId,
      agent_id: agentId,
      name: 'remote',
      url,
      headers_sealed: instance.ctx.vault.seal('{}'),
      header_names_json: '[]',
      allowed_tools_json: null,
      requires_confirmation: 0,
      timeout_ms: 1000,
      tools_json: '[]',
      listed_at: 0,
      error_code: null,
      created_at: 0,
      updated_at: 0,
    }
    await instance.ctx.db.write((tx) => tx.insertInto('tool_servers').values(row).execute())
  }

  const addressesOf = async (name: string, person: Person, scopes?: readonly Scope[]) => {
    const { items } = await run(person, name, { app_id: agentId, workspace_id: ada.workspaceId }, scopes) // prettier-ignore
    return (items as { url: string }[]).map(({ url }) => url).toSorted() // A list.
  }

  test('is masked for viewers', async () => {
    expect(await addressesOf('list_webhook_endpoints', viewer)).toEqual([
      `https://shop.example/orders?key=${hidden}`,
      `https://${hidden}@shop.example/orders`,
    ])
    expect(await addressesOf('list_mcp_servers', viewer)).toEqual([
      `https://mcp.example/mcp?api=${hidden}`,
    ])
  })

  test('is masked for a credential that may only read', async () => {
    for (const url of await addressesOf('list_webhook_endpoints', ada, ['apps:read']))
      expect(url).not.toContain(secret)
    for (const url of await addressesOf('list_mcp_servers', ada, ['actions:read']))
      expect(url).not.toContain(secret)
  })

  test('is whole for those who may change it', async () => {
    for (const url of await addressesOf('list_webhook_endpoints', ada))
      expect(url).toContain(secret)
    for (const url of await addressesOf('list_mcp_servers', ada)) expect(url).toContain(secret)
  })

  test('of a chat page is whole for those who may change it only', async () => {
    const addresses = {
      moderation_url: `https://check.example/?key=${secret}`,
      identity_jwks_url: `https://keys.example/?key=${secret}`,
    }
    await run(ada, 'update_chat_page', { app_id: agentId, ...addresses })
    expect(await run(ada, 'get_chat_page', { app_id: agentId })).toMatchObject(addresses)
    expect(await run(ada, 'get_chat_page', { app_id: agentId }, ['apps:read'])).toMatchObject({
      moderation_url: `https://check.example/?key=${hidden}`,
      identity_jwks_url: `https://keys.example/?key=${hidden}`,
    })
  })

  test('of a chat page with a secret link is whole for those who may change the page only', async () => {
    const settings = { app_id: agentId, enabled: true, access: 'link' }
    const { url } = await run(ada, 'update_chat_page', settings)
    expect(url).toMatch(/\?k=[\w-]{20,}$/)
    expect((await run(ada, 'get_chat_page', { app_id: agentId })).url).toBe(url)
    const shown = await run(ada, 'get_chat_page', { app_id: agentId }, ['apps:read'])
    expect(shown.url).toBe(String(url).replace(/k=.*/, `k=${hidden}`))
    const code = await run(ada, 'get_chat_page_code', { app_id: agentId }, ['apps:read'])
    expect(code.url).toBe(shown.url)
  })

  test('is masked in the audit log', async () => {
    const items = (await run(ada, 'list_webhook_endpoints', { app_id: agentId })).items
    for (const { id } of items as { id: string }[])
      await run(ada, 'delete_webhook_endpoint', { id })
    const log = await instance.ctx.db.read.selectFrom('audit_events').selectAll().execute()
    expect(JSON.stringify(log)).toContain('https://shop.example/orders?key=[another secret]')
    expect(JSON.stringify(log)).not.toContain(secret)
  })
})
