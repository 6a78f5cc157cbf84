import { beforeAll, expect, test } from 'vitest'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { runOperation } from './run-operation.ts'

describeInstance('a change that makes many records, or makes one of another', (open) => {
  let instance: TestInstance
  let ada: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    appId = String((await run('create_app', { name: 'Shop' })).id)
  })

  async function run(name: string, input: unknown) {
    const operation = findOperation(name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    return await runOperation(instance.ctx, actorOf(ada), operation, input)
  }

  async function eventOf(action: string) {
    const { items } = await run('list_audit_events', { action })
    return (items as Record<string, unknown>[])[0] // The operation's own schema has checked it.
  }

  test('is in the audit log with the names of the actions that were imported', async () => {
    const curl = 'curl https://api.example.com/orders'
    const { actions } = await run('import_custom_actions', { app_id: appId, curl, dry_run: false })
    const [action] = actions as { name: string }[] // As above.
    const event = await eventOf('import_custom_actions')
    expect(event?.detail).toEqual({ dry_run: false, made: [action?.name] })
  })

  test('is there with how many products were made and changed', async () => {
    const csv = 'sku,name,price_amount\na,Anvil,100\nb,Bolt,5\n'
    await run('import_products', { app_id: appId, csv })
    await run('import_products', { app_id: appId, csv: `${csv}c,Cog,7\n` })
    const event = await eventOf('import_products')
    expect(event?.detail).toEqual({ app_id: appId, created: 1, updated: 2 })
  })

  test('is there with the agent that was duplicated or imported', async () => {
    const copy = await run('duplicate_app', { app_id: appId, name: 'Copy' })
    expect(await eventOf('duplicate_app')).toMatchObject({
      target: copy.id,
      before: null,
      after: { id: copy.id, name: 'Copy' },
      detail: { app_id: appId, name: 'Copy' },
    })
    const { document } = await run('export_app', { app_id: appId })
    await run('import_app', { document })
    expect(await eventOf('import_app')).toMatchObject({ before: null, after: { name: 'Shop' } })
  })
})
