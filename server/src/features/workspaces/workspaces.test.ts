import { changePlan } from '#features/credits/index.ts'
import { beforeAll, expect, test } from 'vitest'
import { describeGround, type Ground } from '#test/support/ground.ts'
import {
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  planOf,
  roleIn,
  updateWorkspace,
} from './index.ts'

describeGround('workspaces', (open) => {
  let ground: Ground

  beforeAll(async () => {
    ground = await open()
  })

  test('whoever makes a workspace owns it, on the default plan of the instance', async () => {
    const ada = await ground.person()
    const made = await createWorkspace(ground.ctx, ada.userId, { name: 'Second' })
    expect(made).toMatchObject({ name: 'Second', role: 'owner', plan: 'builder' })
    expect(await getWorkspace(ground.ctx, ada.userId, made.id)).toEqual(made)
    expect(await roleIn(ground.ctx, ada.userId, made.id)).toBe('owner')
  })

  test('a stranger has no role, sees nothing and changes nothing', async () => {
    const [ada, bob] = [await ground.person(), await ground.person()]
    expect(await roleIn(ground.ctx, bob.userId, ada.workspaceId)).toBeNull()
    const intruder = { userId: bob.userId, workspaceId: ada.workspaceId }
    const notFound = { code: 'record_not_found' }
    await expect(getWorkspace(ground.ctx, bob.userId, ada.workspaceId)).rejects.toMatchObject(
      notFound,
    )
    await expect(updateWorkspace(ground.ctx, intruder, { name: 'Mine' })).rejects.toMatchObject(
      notFound,
    )
    const { name } = await getWorkspace(ground.ctx, ada.userId, ada.workspaceId)
    expect(name).not.toBe('Mine')
  })

  test('a list holds those of the person alone, oldest first, each with their role', async () => {
    const [ada, bob] = [await ground.person(), await ground.person()]
    const second = await createWorkspace(ground.ctx, ada.userId, { name: 'Second' })
    await ground.join(bob, ada.workspaceId, 'viewer')
    const ofAda = await listWorkspaces(ground.ctx, ada.userId, { limit: 10 })
    expect(ofAda.items.map(({ id }) => id)).toEqual([ada.workspaceId, second.id])
    const ofBob = await listWorkspaces(ground.ctx, bob.userId, { limit: 10 })
    expect(ofBob.items.map(({ id, role }) => [id, role])).toEqual([
      [ada.workspaceId, 'viewer'],
      [bob.workspaceId, 'owner'],
    ])
  })

  test('a deleted workspace is nobody’s: no role, no plan, in no list', async () => {
    const ada = await ground.person()
    const made = await createWorkspace(ground.ctx, ada.userId, { name: 'Gone' })
    await ground.ctx.db.write((tx) =>
      tx.updateTable('workspaces').set({ deleted_at: 1 }).where('id', '=', made.id).execute(),
    )
    expect(await roleIn(ground.ctx, ada.userId, made.id)).toBeNull()
    await expect(planOf(ground.ctx.db.read, made.id)).rejects.toMatchObject({
      code: 'record_not_found',
    })
    const { items } = await listWorkspaces(ground.ctx, ada.userId, { limit: 10 })
    expect(items.map(({ id }) => id)).not.toContain(made.id)
  })

  test('a new name and a new plan are there for the next reader', async () => {
    const ada = await ground.person()
    await updateWorkspace(ground.ctx, ada, { name: 'Renamed' })
    await changePlan(ground.ctx, ada, { plan: 'free' })
    const now = await getWorkspace(ground.ctx, ada.userId, ada.workspaceId)
    expect(now).toMatchObject({ name: 'Renamed', plan: 'free' })
    expect(await planOf(ground.ctx.db.read, ada.workspaceId)).toBe('free')
  })
})
