import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { removeMember } from '#features/members/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { newId } from '#kernel/ids.ts'
import type { Role } from '#kernel/actor.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { pruneAccounts } from './index.ts'

const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }

describeInstance('accounts without a workspace', (open) => {
  let instance: TestInstance
  let owner: Person

  beforeAll(async () => {
    instance = await open({ UNUSED_ACCOUNT_DAYS: '60' })
    owner = await instance.person()
  })

  const prune = () => pruneAccounts.run(instance.ctx, {}, run)

  /** An account as an invitation creates it, in the owner's workspace. */
  async function invited(
    name: string,
    fields: { readonly email_proof?: 'operator'; readonly disabled_at?: number } = {},
    role: Role = 'viewer',
  ): Promise<Person> {
    const now = instance.ctx.clock.now()
    const id = newId(now)
    const email = `${name}@example.com`
    const row = { id, email, name, password_hash: null, email_proven: 1, email_proof: 'mailbox' }
    const times = { disabled_at: null, created_at: now, updated_at: now }
    const user = { ...row, ...times, ...fields } as const
    await instance.ctx.db.write((tx) =>
      tx
        .insertInto('users')
        .values(user as never)
        .execute(),
    )
    const person = { userId: id, workspaceId: owner.workspaceId, name, email }
    await instance.join(person, owner.workspaceId, role)
    return person
  }

  const remove = async ({ userId }: Person) => {
    await removeMember(instance.ctx, owner, userId)
  }

  const accounts = async () => {
    const rows = await instance.ctx.db.read.selectFrom('users').select('name').execute()
    return rows.map(({ name }) => name).toSorted()
  }

  test('are deleted after some days, with all that is theirs', async () => {
    const { ctx } = instance
    const eve = await invited('eve')
    const now = ctx.clock.now()
    const code = { hash: 'code', user_id: eve.userId, created_at: now, used_at: null }
    await ctx.db.write((tx) => tx.insertInto('recovery_codes').values(code).execute())
    await prune()
    instance.advance(61 * dayMs)
    await prune()
    expect(await accounts()).toContain('eve')
    await remove(eve)
    await prune()
    instance.advance(59 * dayMs)
    await prune()
    expect(await accounts()).toContain('eve')
    instance.advance(2 * dayMs)
    await prune()
    expect(await accounts()).not.toContain('eve')
    expect(await ctx.db.read.selectFrom('recovery_codes').select('hash').execute()).toEqual([])
    const event = await ctx.db.read
      .selectFrom('audit_events')
      .select(['target', 'detail_json'])
      .where('action', '=', 'accounts.prune')
      .executeTakeFirstOrThrow()
    expect(event).toEqual({ target: eve.userId, detail_json: `{"email":"${eve.email}"}` })
  })

  test('stay if they join again, are named, disabled, or were created by an operator', async () => {
    const people = {
      back: await invited('back'),
      author: await invited('author', {}, 'editor'),
      disabled: await invited('disabled', { disabled_at: 1 }),
      vouched: await invited('vouched', { email_proof: 'operator' }),
      gone: await invited('gone'),
    }
    await createAgent(instance.ctx, people.author, { name: 'Named' })
    for (const person of Object.values(people)) await remove(person)
    await prune()
    instance.advance(59 * dayMs)
    await instance.join(people.back, owner.workspaceId, 'viewer')
    instance.advance(2 * dayMs)
    await prune()
    const left = await accounts()
    for (const name of ['back', 'author', 'disabled', 'vouched']) expect(left).toContain(name)
    expect(left).not.toContain('gone')
    // The days begin again when a person leaves again.
    await remove(people.back)
    await prune()
    expect(await accounts()).toContain('back')
  })
})
