import { z } from 'zod'
import { beforeAll, expect, test } from 'vitest'
import { cliActor, personalActor } from '#features/identity/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listDeletedWorkspaces,
  restoreWorkspace,
  roleIn,
} from './index.ts'

describeInstance('deleting a workspace', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  const drop = async (person: Person) => {
    const { name } = await getWorkspace(instance.ctx.db.read, person.userId, person.workspaceId)
    return await deleteWorkspace(instance.ctx, person, name)
  }
  const deletedOf = async (userId: string) =>
    (await listDeletedWorkspaces(instance.ctx, userId, { limit: 10 })).items

  test('ends access for all members at once; restoring returns their roles', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    await instance.join(bob, ada.workspaceId, 'editor')
    const { restorableUntil, deletedAt } = await drop(ada)
    expect(restorableUntil - deletedAt).toBe(30 * dayMs)
    expect(await roleIn(instance.ctx.db.read, bob.userId, ada.workspaceId)).toBeNull()
    expect((await deletedOf(ada.userId)).map(({ id }) => id)).toEqual([ada.workspaceId])
    await restoreWorkspace(instance.ctx, ada.userId, ada.workspaceId)
    expect(await roleIn(instance.ctx.db.read, bob.userId, ada.workspaceId)).toBe('editor')
    expect(await deletedOf(ada.userId)).toEqual([])
  })

  test('requires its name and an owner', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    await instance.join(bob, ada.workspaceId, 'admin')
    await expect(deleteWorkspace(instance.ctx, ada, 'Another')).rejects.toMatchObject({
      code: 'confirm_name_wrong',
    })
    const admin = { userId: bob.userId, workspaceId: ada.workspaceId }
    await expect(deleteWorkspace(instance.ctx, admin, 'Another')).rejects.toMatchObject({
      code: 'permission_denied',
    })
  })

  test('can be undone only by an owner, and only for a deleted workspace', async () => {
    const [ada, bob, eve] = [
      await instance.person(),
      await instance.person(),
      await instance.person(),
    ]
    await instance.join(bob, ada.workspaceId, 'admin')
    const notFound = { code: 'record_not_found' }
    const restore = ({ userId }: Person) => restoreWorkspace(instance.ctx, userId, ada.workspaceId)
    await expect(restore(ada)).rejects.toMatchObject(notFound)
    await drop(ada)
    for (const person of [bob, eve]) {
      expect(await deletedOf(person.userId)).toEqual([])
      await expect(restore(person)).rejects.toMatchObject(notFound)
    }
    await restore(ada)
  })

  test('is refused while a subscription renews, and allowed once it is cancelled', async () => {
    const ada = await instance.person()
    const row = { customer_id: 'cus_1', subscription_id: 'sub_1', status: 'active', plan: 'studio' }
    const times = { created_at: 1, updated_at: 1, period_starts_at: 1, period_ends_at: 2 }
    await instance.ctx.db.write((tx) =>
      tx
        .insertInto('subscriptions')
        .values({ workspace_id: ada.workspaceId, ...row, ...times, cancels_at: null })
        .execute(),
    )
    await expect(drop(ada)).rejects.toMatchObject({ code: 'subscription_running' })
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('subscriptions')
        .set({ cancels_at: 2 })
        .where('workspace_id', '=', ada.workspaceId)
        .execute(),
    )
    await drop(ada)
  })

  test('leaves a member without another workspace signed in, to restore it or create one', async () => {
    const ada = await instance.person()
    await drop(ada)
    for (const actor of [
      await personalActor(instance.ctx, ada.userId),
      await cliActor(instance.ctx, ada.email),
    ])
      expect(actor).toMatchObject({ userId: ada.userId, workspaceId: ada.workspaceId })
    const second = await createWorkspace(instance.ctx, ada.userId, { name: 'Second' })
    const actor = await personalActor(instance.ctx, ada.userId)
    expect(actor.workspaceId).toBe(second.id)
  })

  test('leaves a member of another workspace there, even its former owner', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    await instance.join(ada, bob.workspaceId, 'viewer')
    await drop(ada)
    for (const actor of [
      await personalActor(instance.ctx, ada.userId),
      await cliActor(instance.ctx, ada.email),
    ])
      expect(actor).toMatchObject({ userId: ada.userId, workspaceId: bob.workspaceId })
  })

  test('pauses its jobs until it is restored, except those that settle payments', async () => {
    const ada = await instance.person()
    const ran: string[] = []
    const job = (kind: string, outlivesWorkspace: boolean) =>
      defineJob({
        kind,
        input: z.object({}),
        outlivesWorkspace,
        run: async () => {
          ran.push(kind)
        },
      })
    const [resting, outliving] = [job('test.rests', false), job('test.settles', true)]
    const queue = createJobs(instance.ctx.clock)
    const runner = createJobRunner(instance.ctx, queue, [resting, outliving])
    await instance.ctx.db.write(async (tx) => {
      for (const one of [resting, outliving])
        await queue.enqueue(tx, one, {}, { workspaceId: ada.workspaceId })
    })
    await drop(ada)
    await runner.runDue()
    expect(ran).toEqual(['test.settles'])
    await restoreWorkspace(instance.ctx, ada.userId, ada.workspaceId)
    await runner.runDue()
    expect(ran).toEqual(['test.settles', 'test.rests'])
    await runner.stop()
  })
})
