import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import { hidden } from '#kernel/mask.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { createWebhookEndpoint, listWebhookEndpoints, sealAddresses } from './index.ts'
import { shownAddress } from './stored-address.ts'

const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
const secret = 'hunter2hunter2'

describeInstance('the address of a webhook', (open) => {
  let instance: TestInstance
  let ada: Person
  let agentId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agentId = (await createAgent(instance.ctx, ada, { name: 'Shop' })).id
  })

  const rowsOf = () =>
    instance.ctx.db.read.selectFrom('webhook_endpoints').selectAll().orderBy('id').execute()

  const shown = async () => {
    const { ctx } = instance
    const { items } = await listWebhookEndpoints(ctx, ada.workspaceId, agentId, { limit: 99 })
    return items.map(({ url }) => url)
  }

  test('is stored sealed if a part of it may be a credential, and otherwise in clear text', async () => {
    const add = (url: string) => createWebhookEndpoint(instance.ctx, ada.workspaceId, agentId, url)
    await add('https://shop.example/orders')
    await add(`https://shop.example/orders?key=${secret}`)
    await add(`https://hooks.example/${secret}-T0B1c2D3e4F5`)
    const rows = await rowsOf()
    expect(rows.map(({ url }) => url.split('/', 3).join('/'))).toEqual([
      'https://shop.example',
      'sealed:https://shop.example',
      'sealed:https://hooks.example',
    ])
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(await shown()).toEqual([
      'https://shop.example/orders',
      `https://shop.example/orders?key=${secret}`,
      `https://hooks.example/${secret}-T0B1c2D3e4F5`,
    ])
  })

  test('is shown to everybody without what may be a credential, sealed or not', async () => {
    const masked = `https://${hidden}@old.example/?token=${hidden}`
    expect(shownAddress({ url: `https://ada:${secret}@old.example/?token=${secret}` })).toBe(masked)
    expect(shownAddress({ url: `sealed:${masked}` })).toBe(masked)
  })

  test('of a version before is sealed by a job, also if the webhook was deleted', async () => {
    const { ctx } = instance
    const old = (deleted_at: number | null) => ({
      id: newId(ctx.clock.now()),
      workspace_id: ada.workspaceId,
      agent_id: agentId,
      url: `https://ada:${secret}@old.example/?token=${secret}`,
      secret_sealed: ctx.vault.seal('s'),
      created_at: 0,
      deleted_at,
    })
    await ctx.db.write((tx) =>
      tx
        .insertInto('webhook_endpoints')
        .values([old(null), old(5)])
        .execute(),
    )
    const before = await shown()
    await sealAddresses.run(ctx, {}, run)
    const rows = await rowsOf()
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(rows.filter(({ url_sealed }) => url_sealed === null)).toHaveLength(1)
    expect(await shown()).toEqual(before)
    await sealAddresses.run(ctx, {}, run)
    expect(await rowsOf()).toEqual(rows)
  })
})
