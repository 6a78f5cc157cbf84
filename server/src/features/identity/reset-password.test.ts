import { beforeAll, expect, test } from 'vitest'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { whole } from '#test/support/identity/whole-session.ts'
import {
  completeSetup,
  createUser,
  ensureOwner,
  findSession,
  findUserByEmail,
  resetPassword,
  signIn,
} from './index.ts'

const forgotten = 'a forgotten password'
const password = 'a new password'
const visitor = { address: '203.0.113.7', userAgent: 'A browser', sessionToken: null }

describeInstance('resetting a password', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  const eventsOf = (userId: string) =>
    instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['face', 'action', 'outcome', 'workspace_id', 'detail_json'])
      .where('target', '=', userId)
      .where('action', '=', 'reset_password')
      .execute()

  test('makes the new password the only valid one, ends all sessions and is recorded', async () => {
    const email = 'forgets@example.com'
    const { user } = await createUser(instance.ctx, { email, password: forgotten })
    const bystander = await createUser(instance.ctx, { email: 'other@example.com', password })
    const old = whole(await signIn(instance.ctx, { email, password: forgotten }, visitor))
    const theirs = whole(
      await signIn(instance.ctx, { email: bystander.user.email, password }, visitor),
    )
    const done = await resetPassword(instance.ctx, { email: ' Forgets@Example.com ', password })
    expect(done.user).toMatchObject({ id: user.id, email, hasPassword: true })
    expect(done.setup).toBeNull()
    expect(await findSession(instance.ctx, old.token)).toBeNull()
    expect(await findSession(instance.ctx, theirs.token)).not.toBeNull()
    await expect(
      signIn(instance.ctx, { email, password: forgotten }, visitor),
    ).rejects.toMatchObject({ code: 'credentials_wrong' })
    const { token } = whole(await signIn(instance.ctx, { email, password }, visitor))
    expect((await findSession(instance.ctx, token))?.user.id).toBe(user.id)
    expect(await eventsOf(user.id)).toEqual([
      {
        face: 'cli',
        action: 'reset_password',
        outcome: 'done',
        workspace_id: null,
        detail_json: null,
      },
    ])
  })

  test('works for an owner who never used their set-up link, and ends the link', async () => {
    const fresh = await open()
    const owner = await ensureOwner(fresh.ctx)
    const { user } = await resetPassword(fresh.ctx, { email: 'owner@localhost', password })
    const { email } = user
    const entered = whole(await signIn(fresh.ctx, { email, password }, visitor))
    expect(entered.session.user.id).toBe(owner!.userId)
    const late = { email: 'late@example.com', name: '', password: forgotten }
    await expect(
      completeSetup(fresh.ctx, owner!.setup!.token, late, visitor),
    ).rejects.toMatchObject({ code: 'setup_link_invalid' })
    expect(await ensureOwner(fresh.ctx)).toBeNull()
  })

  test('changes nothing for a short password or an unknown account', async () => {
    const email = 'stays@example.com'
    const { user } = await createUser(instance.ctx, { email, password: forgotten })
    const { token } = whole(await signIn(instance.ctx, { email, password: forgotten }, visitor))
    await expect(resetPassword(instance.ctx, { email, password: '1234567' })).rejects.toMatchObject(
      {
        code: 'password_length',
      },
    )
    await expect(
      resetPassword(instance.ctx, { email: 'nobody@example.com', password }),
    ).rejects.toMatchObject({ code: 'user_not_found', facts: { email: 'nobody@example.com' } })
    expect(await findSession(instance.ctx, token)).not.toBeNull()
    expect(await eventsOf(user.id)).toEqual([])
    expect(await findUserByEmail(instance.ctx, 'nobody@example.com')).toBeNull()
  })
})
