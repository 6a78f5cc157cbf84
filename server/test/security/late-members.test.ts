import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { authorize } from '#features/grants/index.ts'
import { changeMemberRole, removeMember } from '#features/members/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import { beginFlow, refusal } from '#test/support/identity/oauth-flow.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { tried } from '#test/support/tried.ts'

const gone = refusal('record_not_found')

/** A request is authorized, and its person loses the workspace or the role before its unit. */
describeInstance('a member who is removed during their request', (open) => {
  let instance: TestInstance
  let owner: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    owner = await instance.person({ plan: 'enterprise' })
    appId = (await createAgent(instance.ctx, owner, { name: 'Shop' })).id
  })

  const editor = async () => {
    const person = await instance.person()
    await instance.join(person, owner.workspaceId, 'editor')
    return { ...person, workspaceId: owner.workspaceId }
  }
  const remove = ({ userId }: Person) => removeMember(instance.ctx, owner, userId)
  /** A context whose first unit waits until something else was committed. */
  const after = (event: () => Promise<unknown>): Context => {
    const { db } = instance.ctx
    let isFirst = true
    const write: typeof db.write = async (unit) => {
      if (isFirst) {
        isFirst = false
        await event()
      }
      return await db.write(unit)
    }
    return { ...instance.ctx, db: { ...db, write } }
  }
  const create = (ctx: Context, person: Person, name: string) => {
    const input = name === 'create_developer_key' ? {} : { app_id: appId }
    return runOperation(ctx, actorOf(person), findOperation(name)!, { name: 'late', ...input })
  }
  const liveKeys = ({ userId }: Person) =>
    instance.ctx.db.read
      .selectFrom('api_keys')
      .select('id')
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .execute()

  test('creates no key, whichever kind', async (context) => {
    const names = ['create_developer_key', 'create_chat_key', 'create_acp_key']
    for (const name of names) {
      const person = await editor()
      const ctx = after(() => remove(person))
      await expect(create(ctx, person, name)).rejects.toMatchObject(gone)
      expect(await liveKeys(person)).toEqual([])
    }
    tried(context, names.length)
  })

  test('creates no authorization code', async () => {
    const person = await editor()
    const { ticket } = await beginFlow(instance)
    const ctx = after(() => remove(person))
    await expect(authorize(ctx, actorOf(person), ticket, ['*'])).rejects.toMatchObject(gone)
  })

  test('does nothing that their new role does not allow', async () => {
    const person = await editor()
    const demoted = { userId: person.userId, role: 'viewer' } as const
    const ctx = after(() => changeMemberRole(instance.ctx, owner, demoted))
    await expect(create(ctx, person, 'create_chat_key')).rejects.toMatchObject(
      refusal('permission_denied'),
    )
    expect(await liveKeys(person)).toEqual([])
  })

  test('leaves no developer key, in whatever order the two commit', async (context) => {
    const rounds = 6
    for (let round = 0; round < rounds; round += 1) {
      const person = await editor()
      const creating = create(instance.ctx, person, 'create_developer_key')
      const [created, removed] = await Promise.allSettled([creating, remove(person)])
      expect(removed.status).toBe('fulfilled')
      if (created.status === 'rejected') expect(created.reason).toMatchObject(gone)
      expect(await liveKeys(person)).toEqual([])
    }
    tried(context, rounds)
  })
})
