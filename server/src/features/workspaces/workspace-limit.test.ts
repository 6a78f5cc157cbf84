import { beforeAll, expect, test } from 'vitest'
import {
  changeMemberRole,
  leaveWorkspace,
  removeMember,
  transferWorkspace,
} from '#features/members/index.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { outcomeOf } from '#test/support/chat/credit-turns.ts'
import { deleteWorkspace, restoreWorkspace } from './delete-workspace.ts'
import { createWorkspace } from './workspaces.ts'

describeInstance('the number of workspaces per person', (open) => {
  let instance: TestInstance
  let operator: Person
  beforeAll(async () => {
    instance = await open({ LIMITS: 'workspaces_per_person=3' })
    operator = await instance.person()
  })

  async function create({ userId }: Pick<Person, 'userId'>): Promise<string> {
    return (await createWorkspace(instance.ctx, userId, { name: 'More' })).id
  }

  async function fullPerson(): Promise<Person> {
    const person = await instance.person()
    await create(person)
    await create(person)
    return person
  }

  const of = ({ userId }: Person, workspaceId: string) => ({ userId, workspaceId })

  test('is limited, also for calls at the same time', async () => {
    const person = await instance.person()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(create(person))))
    expect(outcomes.toSorted()).toEqual([
      ...Array(2).fill('done'),
      ...Array(6).fill('limit_reached'),
    ])
  })

  test('is not limited for operators', async () => {
    for (let n = 0; n < 5; n += 1) await create(operator)
  })

  test('is not reduced for good by deleting and creating, nor exceeded by restoring', async () => {
    const person = await fullPerson()
    const deleted: string[] = []
    for (let n = 0; n < 4; n += 1) {
      const id = (await ownedBy(person)).at(-1)!
      await deleteWorkspace(instance.ctx, of(person, id), 'More')
      deleted.push(id)
      if (n < 3) await create(person)
    }
    expect(await outcomeOf(create(person))).toBe('limit_reached')
    await restoreWorkspace(instance.ctx, person.userId, deleted[0]!)
    const more = restoreWorkspace(instance.ctx, person.userId, deleted[1]!)
    expect(await outcomeOf(more)).toBe('limit_reached')
  })

  async function ownedBy({ userId }: Person): Promise<string[]> {
    const rows = await instance.ctx.db.read
      .selectFrom('workspaces')
      .select('id')
      .where('billing_user_id', '=', userId)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute()
    return rows.map(({ id }) => id)
  }

  test('does not grow by transferring to a person who has all of theirs', async () => {
    const giver = await instance.person()
    const taker = await fullPerson()
    const workspaceId = await create(giver)
    await instance.join(taker, workspaceId, 'editor')
    const transfer = transferWorkspace(instance.ctx, of(giver, workspaceId), taker.userId)
    expect(await outcomeOf(transfer)).toBe('limit_reached')
    const free = await instance.person()
    await instance.join(free, workspaceId, 'editor')
    await transferWorkspace(instance.ctx, of(giver, workspaceId), free.userId)
    expect(await ownedBy(free)).toContain(workspaceId)
    expect(await ownedBy(giver)).not.toContain(workspaceId)
  })

  test('passes to another owner who can have it when the billing owner leaves or is removed', async () => {
    for (const leave of ['leaves', 'is removed', 'is demoted'] as const) {
      const [giver, other] = [await instance.person(), await instance.person()]
      const workspaceId = await create(giver)
      await instance.join(other, workspaceId, 'owner')
      if (leave === 'leaves') await leaveWorkspace(instance.ctx, of(giver, workspaceId))
      if (leave === 'is removed')
        await removeMember(instance.ctx, of(other, workspaceId), giver.userId)
      if (leave === 'is demoted') {
        const change = { userId: giver.userId, role: 'editor' } as const
        await changeMemberRole(instance.ctx, of(other, workspaceId), change)
      }
      expect(await ownedBy(other), leave).toContain(workspaceId)
    }
  })

  test('stays with an owner who left if no other owner can have it, so two people gain nothing', async () => {
    const [giver, full] = [await instance.person(), await fullPerson()]
    const workspaceId = await create(giver)
    await instance.join(full, workspaceId, 'owner')
    await leaveWorkspace(instance.ctx, of(giver, workspaceId))
    expect(await ownedBy(giver)).toContain(workspaceId)
    await create(giver)
    expect(await outcomeOf(create(giver))).toBe('limit_reached')
  })
})
