import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { changes, onlyTarget } from './audited.ts'
import { findOperation, operations } from './catalogue.ts'
import { defineOperation, hints } from './operation.ts'
import { runOperation } from './run-operation.ts'

describe('what is audited', () => {
  test('is declared by every operation that changes something, and only by those', () => {
    for (const { name, hints, audit } of operations)
      expect({ name, isDeclared: audit !== null }).toEqual({ name, isDeclared: !hints.readOnly })
  })

  test('must be declared for a definition to compile, unless it is read-only', () => {
    const rest = {
      name: 'change_it',
      title: 'Change it',
      description: 'Changes it.',
      toolset: 'core',
      scope: null,
      input: z.object({ app_id: z.string() }),
      output: z.strictObject({}),
      run: () => Promise.resolve({}),
    } as const
    expect(defineOperation({ ...rest, hints: hints.read }).audit).toBeNull()
    expect(defineOperation({ ...rest, hints: hints.update, audit: onlyTarget }).audit).toBe(
      onlyTarget,
    )
    // @ts-expect-error A change without a declaration.
    defineOperation({ ...rest, hints: hints.update })
    // @ts-expect-error A declaration for a reading operation.
    defineOperation({ ...rest, hints: hints.read, audit: onlyTarget })
    // @ts-expect-error A record named by a field that the input does not have.
    defineOperation({ ...rest, hints: hints.update, audit: changes('products', 'product_id') })
    // @ts-expect-error A note on a field that the input does not have.
    defineOperation({ ...rest, hints: hints.update, audit: { notes: ['reason'] } })
    // @ts-expect-error A subject that the input does not name.
    defineOperation({ ...rest, hints: hints.read, actsOn: { field: 'product_id' } })
  })
})

describeInstance('a change that creates many records, or one from another', (open) => {
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

  test('is recorded with the names of the imported actions', async () => {
    const curl = 'curl https://api.example.com/orders'
    const { actions } = await run('import_custom_actions', { app_id: appId, curl, dry_run: false })
    const [action] = actions as { name: string }[] // As above.
    const event = await eventOf('import_custom_actions')
    expect(event?.detail).toEqual({ dry_run: false, made: [action?.name] })
  })

  test('is recorded with the numbers of created and updated products', async () => {
    const csv = 'sku,name,price_amount\na,Anvil,100\nb,Bolt,5\n'
    await run('import_products', { app_id: appId, csv })
    await run('import_products', { app_id: appId, csv: `${csv}c,Cog,7\n` })
    const { items } = await run('list_audit_events', { action: 'import_products' })
    expect(items).toHaveLength(2)
    const event = await eventOf('import_products')
    expect(event?.detail).toEqual({ app_id: appId, created: 1, updated: 2 })
  })

  test('is recorded with the duplicated or imported agent', async () => {
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
