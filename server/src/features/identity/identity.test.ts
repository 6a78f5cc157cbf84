import { beforeAll, describe, expect, test } from 'vitest'
import { listWorkspaces, roleIn } from '#features/workspaces/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { hashToken } from '#kernel/tokens.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { cliActor, createUser, ensureOwner, findUserByEmail } from './index.ts'
import { verifyPassword } from './password.ts'

describeInstance('identity', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  function userRow(email: string) {
    return instance.ctx.db.read
      .selectFrom('users')
      .selectAll()
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
  }

  describe('an account', () => {
    test('has a workspace of its own, and only the hash of its password is stored', async () => {
      const { user, workspaceId } = await createUser(instance.ctx, {
        email: ' Ada@Example.com ',
        password: 'correct horse',
        name: 'Ada',
      })
      expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada', hasPassword: true })
      expect(await roleIn(instance.ctx.db.read, user.id, workspaceId)).toBe('owner')
      const { password_hash } = await userRow('ada@example.com')
      expect(password_hash).not.toContain('correct horse')
      expect(await verifyPassword('correct horse', password_hash)).toBe(true)
      expect(await findUserByEmail(instance.ctx, 'ADA@example.COM')).toEqual(user)
    })

    test('an e-mail belongs to one account, in any spelling and with parallel requests', async () => {
      const spellings = ['Twin@example.com', 'twin@example.com', ' TWIN@EXAMPLE.COM']
      const attempts = await Promise.allSettled(
        [...spellings, ...spellings].map((email) => createUser(instance.ctx, { email })),
      )
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const attempt of attempts) {
        if (attempt.status === 'rejected')
          expect(attempt.reason).toMatchObject({ code: 'email_taken' })
      }
      const twin = await findUserByEmail(instance.ctx, 'twin@example.com')
      const { items } = await listWorkspaces(instance.ctx, twin!.id, { limit: 10 })
      expect(items).toHaveLength(1)
    })

    test('is refused with an invalid e-mail or a short password', async () => {
      await expect(createUser(instance.ctx, { email: 'nobody' })).rejects.toMatchObject({
        code: 'email_invalid',
      })
      const short = createUser(instance.ctx, { email: 'new@example.com', password: '1234567' })
      await expect(short).rejects.toMatchObject({ code: 'password_length' })
      expect(await findUserByEmail(instance.ctx, 'new@example.com')).toBeNull()
    })
  })

  describe('the owner of an empty database', () => {
    test('is the one named by the environment, and is created once', async () => {
      const fresh = await open({ OWNER_EMAIL: 'Root@Example.com', OWNER_PASSWORD: 'correct horse' })
      const owner = await ensureOwner(fresh.ctx)
      expect(owner).toMatchObject({ email: 'root@example.com', created: true, setup: null })
      expect(await ensureOwner(fresh.ctx)).toBeNull()
      const actor = await cliActor(fresh.ctx)
      expect(actor).toEqual({
        userId: owner!.userId,
        workspaceId: owner!.workspaceId,
        scopes: ['*'],
        surface: 'cli',
      })
    })

    test('without a password gets a link for a day, stored as a hash, and then a new one', async () => {
      const fresh = await open()
      const first = await ensureOwner(fresh.ctx)
      expect(first).toMatchObject({ email: 'owner@localhost', created: true })
      expect(first!.setup!.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(first!.setup!.expiresAt).toBe(fresh.ctx.clock.now() + dayMs)
      const links = await fresh.ctx.db.read.selectFrom('setup_links').selectAll().execute()
      expect(links.map(({ hash }) => hash)).toEqual([hashToken(first!.setup!.token)])
      fresh.advance(dayMs - 1)
      expect(await ensureOwner(fresh.ctx)).toBeNull()
      fresh.advance(1)
      const second = await ensureOwner(fresh.ctx)
      expect(second).toMatchObject({ userId: first!.userId, created: false })
      expect(second!.setup!.token).not.toBe(first!.setup!.token)
    })

    test('is created once, even if several processes start at the same time', async () => {
      const fresh = await open()
      const others = await Promise.all([fresh.again(), fresh.again()])
      const everyone = [fresh, ...others]
      const found = await Promise.all(everyone.map(({ ctx }) => ensureOwner(ctx)))
      expect(found.filter((owner) => owner !== null)).toHaveLength(1)
      for (const table of ['users', 'workspaces', 'memberships', 'setup_links'] as const) {
        const rows = await fresh.ctx.db.read.selectFrom(table).selectAll().execute()
        expect(rows).toHaveLength(1)
      }
    })
  })

  describe('the actor on the command line', () => {
    test('is the person named, in the workspace they own before those they joined', async () => {
      const [ada, bob] = [await instance.person(), await instance.person()]
      await instance.join(bob, ada.workspaceId, 'editor')
      expect(await cliActor(instance.ctx, bob.email.toUpperCase())).toMatchObject({
        userId: bob.userId,
        workspaceId: bob.workspaceId,
      })
    })

    test('must have an account, and the instance must have an owner', async () => {
      await expect(cliActor(instance.ctx, 'nobody@example.com')).rejects.toMatchObject({
        code: 'user_not_found',
        facts: { email: 'nobody@example.com' },
      })
      const fresh = await open()
      await expect(cliActor(fresh.ctx)).rejects.toMatchObject({ code: 'not_set_up' })
    })
  })
})
