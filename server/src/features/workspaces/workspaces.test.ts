import { changePlan } from '#features/credits/index.ts'
import { beforeAll, expect, test } from 'vitest'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import {
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  planOf,
  roleIn,
  updateWorkspace,
} from './index.ts'

describeInstance('workspaces', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  test('the person who creates a workspace owns it, on the instance’s default plan', async () => {
    const ada = await instance.person()
    const made = await createWorkspace(instance.ctx, ada.userId, { name: 'Second' })
    expect(made).toMatchObject({ name: 'Second', role: 'owner', plan: 'builder' })
    expect(await getWorkspace(instance.ctx.db.read, ada.userId, made.id)).toEqual(made)
    expect(await roleIn(instance.ctx.db.read, ada.userId, made.id)).toBe('owner')
  })

  test('a stranger has no role and can neither see nor change it', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    expect(await roleIn(instance.ctx.db.read, bob.userId, ada.workspaceId)).toBeNull()
    const intruder = { userId: bob.userId, workspaceId: ada.workspaceId }
    const notFound = { code: 'record_not_found' }
    await expect(
      getWorkspace(instance.ctx.db.read, bob.userId, ada.workspaceId),
    ).rejects.toMatchObject(notFound)
    await expect(updateWorkspace(instance.ctx, intruder, { name: 'Mine' })).rejects.toMatchObject(
      notFound,
    )
    const { name } = await getWorkspace(instance.ctx.db.read, ada.userId, ada.workspaceId)
    expect(name).not.toBe('Mine')
  })

  test('a list holds only the person’s workspaces, oldest first, each with their role', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    const second = await createWorkspace(instance.ctx, ada.userId, { name: 'Second' })
    await instance.join(bob, ada.workspaceId, 'viewer')
    const ofAda = await listWorkspaces(instance.ctx, ada.userId, { limit: 10 })
    expect(ofAda.items.map(({ id }) => id)).toEqual([ada.workspaceId, second.id])
    const ofBob = await listWorkspaces(instance.ctx, bob.userId, { limit: 10 })
    expect(ofBob.items.map(({ id, role }) => [id, role])).toEqual([
      [ada.workspaceId, 'viewer'],
      [bob.workspaceId, 'owner'],
    ])
  })

  test('a deleted workspace gives no role and no plan, and is in no list', async () => {
    const ada = await instance.person()
    const made = await createWorkspace(instance.ctx, ada.userId, { name: 'Gone' })
    await instance.ctx.db.write((tx) =>
      tx.updateTable('workspaces').set({ deleted_at: 1 }).where('id', '=', made.id).execute(),
    )
    expect(await roleIn(instance.ctx.db.read, ada.userId, made.id)).toBeNull()
    await expect(planOf(instance.ctx.db.read, made.id)).rejects.toMatchObject({
      code: 'record_not_found',
    })
    const { items } = await listWorkspaces(instance.ctx, ada.userId, { limit: 10 })
    expect(items.map(({ id }) => id)).not.toContain(made.id)
  })

  test('a new name and a new plan apply to the next read', async () => {
    const ada = await instance.person()
    await updateWorkspace(instance.ctx, ada, { name: 'Renamed' })
    await changePlan(instance.ctx, ada, { plan: 'free' })
    const now = await getWorkspace(instance.ctx.db.read, ada.userId, ada.workspaceId)
    expect(now).toMatchObject({ name: 'Renamed', plan: 'free' })
    expect(await planOf(instance.ctx.db.read, ada.workspaceId)).toBe('free')
  })
})
