import { beforeAll, expect, test } from 'vitest'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

interface App {
  readonly id: string
  readonly app_name_id: string
  readonly name: string
  readonly folder: string
  readonly version: number
}

describeInstance('folders of agents', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  // The operations' own output schemas have checked the answers.
  const call = async <Answer>(name: string, input: object = {}, as = ada) =>
    (await runOperation(instance.ctx, actorOf(as), findOperation(name)!, input)) as Answer
  const agent = (name: string, as = ada) => call<App>('create_app', { name }, as)
  const named = async (folder: string | undefined) => {
    const { items } = await call<{ items: App[] }>('list_apps', { folder, sort: 'name' })
    return items.map(({ name }) => name)
  }

  test('hold the agents that were moved there, by either id, and make no version', async () => {
    const [one, two, three] = [await agent('One'), await agent('Two'), await agent('Three')]
    await call('move_apps', { app_ids: [one.id, two.app_name_id], folder: ' Shops ' })
    expect(await named('Shops')).toEqual(['One', 'Two'])
    expect(await named('')).toEqual(['Three'])
    expect(await named(undefined)).toHaveLength(3)
    const { items } = await call<{ items: unknown }>('get_app_folders')
    expect(items).toEqual([
      { name: '', agents: 1 },
      { name: 'Shops', agents: 2 },
    ])
    expect(await call('get_app', { app_id: one.id })).toMatchObject({ folder: 'Shops', version: 1 })
    await call('update_app', { app_id: one.id, greeting: 'Hello' })
    expect(await call('get_app', { app_id: one.id })).toMatchObject({ folder: 'Shops' })
    await call('move_apps', { app_ids: [one.id, two.id, three.id], folder: '' })
    expect(await named('')).toEqual(['One', 'Three', 'Two'])
  })

  test('are kept by copies and exported documents', async () => {
    const { id } = await agent('Kept')
    await call('move_apps', { app_ids: [id], folder: 'Archive' })
    const folderOf = async (made: App) => (await call<App>('get_app', { app_id: made.id })).folder
    expect(await folderOf(await call<App>('duplicate_app', { app_id: id }))).toBe('Archive')
    const { document } = await call<{ document: object }>('export_app', { app_id: id })
    expect(document).toMatchObject({ folder: 'Archive' })
    expect(await folderOf(await call<App>('import_app', { document }))).toBe('Archive')
    await call('move_apps', { app_ids: [id], folder: '' })
    expect(await call('export_app', { app_id: id })).not.toHaveProperty('document.folder')
  })

  test('of another workspace stay as they are, and so do the agents named with it', async () => {
    const bob = await instance.person()
    const foreign = await agent('Foreign', bob)
    const own = await agent('Own')
    const moving = call('move_apps', { app_ids: [own.id, foreign.id], folder: 'Mine' })
    await expect(moving).rejects.toMatchObject({ code: 'record_not_found' })
    expect(await call('get_app', { app_id: own.id })).toMatchObject({ folder: '' })
    expect(await call('get_app', { app_id: foreign.id }, bob)).toMatchObject({ folder: '' })
  })

  test('have names of one line of at most 60 characters', async () => {
    const { id } = await agent('Strict')
    for (const folder of ['x'.repeat(61), 'two\nlines'])
      await expect(call('move_apps', { app_ids: [id], folder })).rejects.toMatchObject({
        code: 'invalid_input',
      })
  })

  test('are changed by editors, not by viewers', async () => {
    const viewer = await instance.person()
    await instance.join(viewer, ada.workspaceId, 'viewer')
    const { id } = await agent('Watched')
    const input = { app_ids: [id], folder: 'X', workspace_id: ada.workspaceId }
    await expect(call('move_apps', input, viewer)).rejects.toMatchObject({
      code: 'permission_denied',
    })
  })
})
