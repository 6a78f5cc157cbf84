import { beforeAll, describe, expect, test } from 'vitest'
import { createDeveloperKey, findDeveloperKey } from '#features/api-keys/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import type { Role } from '#kernel/actor.ts'
import { hashToken } from '#kernel/tokens.ts'
import { listInvitations } from '#features/invitations/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import {
  changeMemberRole,
  inviteMember,
  leaveWorkspace,
  listMembers,
  removeMember,
  transferWorkspace,
} from './index.ts'

describeInstance('members', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  const at = (person: Person, { workspaceId }: Person) => ({ userId: person.userId, workspaceId })
  const joined = async (home: Person, role: Role) => {
    const person = await instance.person()
    await instance.join(person, home.workspaceId, role)
    return person
  }
  const roleOf = (person: Person, home: Person) =>
    roleIn(instance.ctx.db.read, person.userId, home.workspaceId)

  test('are listed in pages, with their roles', async () => {
    const ada = await instance.person()
    const bob = await joined(ada, 'editor')
    const first = await listMembers(instance.ctx, ada.workspaceId, { limit: 1 })
    const cursor = first.nextCursor ?? undefined
    const second = await listMembers(instance.ctx, ada.workspaceId, { limit: 1, cursor })
    const seen = [...first.items, ...second.items].map(({ userId, role }) => [userId, role])
    expect(seen).toEqual([
      [ada.userId, 'owner'],
      [bob.userId, 'editor'],
    ])
    expect(second.nextCursor).toBeNull()
  })

  test('an owner may give every role; it applies at once', async () => {
    const ada = await instance.person()
    const bob = await joined(ada, 'viewer')
    for (const role of ['admin', 'editor', 'owner', 'viewer'] as const) {
      await changeMemberRole(instance.ctx, at(ada, ada), { userId: bob.userId, role })
      expect(await roleOf(bob, ada)).toBe(role)
    }
  })

  test('an admin may make editors and viewers, and cannot change admins or owners', async () => {
    const ada = await instance.person()
    const [boss, peer, bob] = [
      await joined(ada, 'admin'),
      await joined(ada, 'admin'),
      await joined(ada, 'viewer'),
    ]
    const actor = at(boss, ada)
    await changeMemberRole(instance.ctx, actor, { userId: bob.userId, role: 'editor' })
    for (const role of ['admin', 'owner'] as const)
      await expect(
        changeMemberRole(instance.ctx, actor, { userId: bob.userId, role }),
      ).rejects.toMatchObject({ code: 'role_not_yours_to_give' })
    for (const { userId } of [ada, peer]) {
      const change = changeMemberRole(instance.ctx, actor, { userId, role: 'viewer' })
      await expect(change).rejects.toMatchObject({ code: 'member_above_you' })
      await expect(removeMember(instance.ctx, actor, userId)).rejects.toMatchObject({
        code: 'member_above_you',
      })
    }
    await removeMember(instance.ctx, actor, bob.userId)
    expect(await roleOf(bob, ada)).toBeNull()
  })

  test.each(['editor', 'viewer'] as const)('an %s may not change memberships', async (role) => {
    const ada = await instance.person()
    const [bob, eve] = [await joined(ada, role), await joined(ada, 'viewer')]
    const actor = at(bob, ada)
    for (const attempt of [
      () => changeMemberRole(instance.ctx, actor, { userId: bob.userId, role: 'owner' }),
      () => removeMember(instance.ctx, actor, eve.userId),
      () => transferWorkspace(instance.ctx, actor, bob.userId),
      () => inviteMember(instance.ctx, actor, { role: 'viewer' }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' })
  })

  test('the last owner can neither leave nor be demoted', async () => {
    const ada = await instance.person()
    await joined(ada, 'admin')
    const lastOwner = { code: 'last_owner' }
    await expect(leaveWorkspace(instance.ctx, ada)).rejects.toMatchObject(lastOwner)
    const demotion = { userId: ada.userId, role: 'admin' } as const
    await expect(changeMemberRole(instance.ctx, ada, demotion)).rejects.toMatchObject(lastOwner)
    await expect(removeMember(instance.ctx, ada, ada.userId)).rejects.toMatchObject({
      code: 'member_is_you',
    })
  })

  test('a transfer makes the other member the owner and the former owner an admin', async () => {
    const ada = await instance.person()
    const bob = await joined(ada, 'viewer')
    await transferWorkspace(instance.ctx, ada, bob.userId)
    expect([await roleOf(ada, ada), await roleOf(bob, ada)]).toEqual(['admin', 'owner'])
    await expect(transferWorkspace(instance.ctx, ada, ada.userId)).rejects.toMatchObject({
      code: 'permission_denied',
    })
  })

  test('a stranger cannot be changed, removed or made the owner', async () => {
    const [ada, eve] = [await instance.person(), await instance.person()]
    for (const attempt of [
      () => changeMemberRole(instance.ctx, ada, { userId: eve.userId, role: 'viewer' }),
      () => removeMember(instance.ctx, ada, eve.userId),
      () => transferWorkspace(instance.ctx, ada, eve.userId),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'record_not_found' })
  })

  test('a developer key ends with its person’s membership and stays ended when they return', async () => {
    const ada = await instance.person()
    const bob = await joined(ada, 'editor')
    const holder = { ...at(bob, ada), role: 'editor' } as const
    const { key } = await createDeveloperKey(instance.ctx, holder, { name: 'bob' })
    const elsewhere = await createDeveloperKey(
      instance.ctx,
      { ...bob, role: 'owner' },
      { name: 'own' },
    )
    expect(await findDeveloperKey(instance.ctx, hashToken(key))).not.toBeNull()
    await removeMember(instance.ctx, at(ada, ada), bob.userId)
    expect(await findDeveloperKey(instance.ctx, hashToken(key))).toBeNull()
    await instance.join(bob, ada.workspaceId, 'editor')
    expect(await findDeveloperKey(instance.ctx, hashToken(key))).toBeNull()
    expect(await findDeveloperKey(instance.ctx, hashToken(elsewhere.key))).not.toBeNull()
  })

  test('open invitations end with the right to invite', async () => {
    const ada = await instance.person()
    const [leaving, demoted] = [await joined(ada, 'admin'), await joined(ada, 'admin')]
    for (const admin of [leaving, demoted])
      await inviteMember(instance.ctx, at(admin, ada), { role: 'editor' })
    const kept = await inviteMember(instance.ctx, ada, { role: 'editor' })
    await leaveWorkspace(instance.ctx, at(leaving, ada))
    await changeMemberRole(instance.ctx, ada, { userId: demoted.userId, role: 'editor' })
    const { items } = await listInvitations(instance.ctx, ada.workspaceId, { limit: 10 })
    expect(items.map(({ id }) => id)).toEqual([kept.id])
  })

  test.each(['made an admin', 'handing over'] as const)(
    'an owner %s keeps no invitation to be an admin, which they could not make any more',
    async (how) => {
      const ada = await instance.person()
      const bob = await joined(ada, 'owner')
      await inviteMember(instance.ctx, ada, { role: 'admin' })
      const kept = await inviteMember(instance.ctx, ada, { role: 'editor' })
      const others = await inviteMember(instance.ctx, at(bob, ada), { role: 'admin' })
      if (how === 'handing over') await transferWorkspace(instance.ctx, ada, bob.userId)
      else {
        const change = { userId: ada.userId, role: 'admin' } as const
        await changeMemberRole(instance.ctx, at(bob, ada), change)
      }
      const { items } = await listInvitations(instance.ctx, ada.workspaceId, { limit: 10 })
      expect(items.map(({ id }) => id).toSorted()).toEqual([kept.id, others.id].toSorted())
    },
  )

  describe('at the same time', () => {
    test('of two owners who leave, one stays', async () => {
      for (let round = 0; round < 10; round += 1) {
        const ada = await instance.person()
        const bob = await joined(ada, 'owner')
        const left = await Promise.allSettled([
          leaveWorkspace(instance.ctx, ada),
          leaveWorkspace(instance.ctx, at(bob, ada)),
        ])
        expect(left.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        const { items } = await listMembers(instance.ctx, ada.workspaceId, { limit: 10 })
        expect(items.map(({ role }) => role)).toEqual(['owner'])
      }
    })

    test('of two owners who demote each other, one stays owner', async () => {
      for (let round = 0; round < 10; round += 1) {
        const ada = await instance.person()
        const bob = await joined(ada, 'owner')
        await Promise.allSettled([
          changeMemberRole(instance.ctx, ada, { userId: bob.userId, role: 'admin' }),
          changeMemberRole(instance.ctx, at(bob, ada), { userId: ada.userId, role: 'admin' }),
        ])
        const { items } = await listMembers(instance.ctx, ada.workspaceId, { limit: 10 })
        expect(items.filter(({ role }) => role === 'owner')).toHaveLength(1)
      }
    })
  })
})
