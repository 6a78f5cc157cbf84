import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { whole } from '#test/support/identity/whole-session.ts'
import {
  changePassword,
  createUser,
  endOtherSessions,
  endSession,
  findSession,
  listSessions,
  resetPassword,
  signIn,
  signOut,
  sweepSessions,
} from './index.ts'

const password = 'a good password'
const anyRun = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }

describeInstance('sessions', (open) => {
  let instance: TestInstance
  let people = 0

  beforeAll(async () => {
    instance = await open()
  })

  const person = async () => {
    people += 1
    const email = `session-${people}@example.com`
    const { user } = await createUser(instance.ctx, { email, password })
    return user
  }
  const visitor = { address: '203.0.113.7', userAgent: 'A browser', sessionToken: null }
  const enter = async (email: string) =>
    whole(await signIn(instance.ctx, { email, password }, visitor))

  test('are listed with browser and address, newest first, and end one by one', async () => {
    const user = await person()
    const [first, second] = [await enter(user.email), await enter(user.email)]
    const listed = await listSessions(instance.ctx, user.id)
    expect(listed.map(({ id }) => id)).toEqual([second.session.id, first.session.id])
    expect(listed[0]).toMatchObject({
      method: 'password',
      userAgent: 'A browser',
      address: '203.0.113.7',
    })
    await endSession(instance.ctx, user.id, first.session.id)
    expect(await findSession(instance.ctx, first.token)).toBeNull()
    expect((await findSession(instance.ctx, second.token))?.user.id).toBe(user.id)
    await expect(endSession(instance.ctx, user.id, first.session.id)).rejects.toMatchObject({
      code: 'record_not_found',
    })
  })

  test('beyond SESSIONS_PER_PERSON end, the oldest first, and the audit log says so', async () => {
    const few = await open({ SESSIONS_PER_PERSON: '2' })
    const enterFew = async (email: string) =>
      whole(await signIn(few.ctx, { email, password }, visitor))
    const { user } = await createUser(few.ctx, { email: 'few@example.com', password })
    const { user: other } = await createUser(few.ctx, { email: 'else@example.com', password })
    const unconcerned = await enterFew(other.email)
    const opened = []
    for (let n = 0; n < 3; n += 1) opened.push(await enterFew(user.email))
    const alive = await Promise.all(opened.map(({ token }) => findSession(few.ctx, token)))
    expect(alive.map((session) => session !== null)).toEqual([false, true, true])
    expect(await findSession(few.ctx, unconcerned.token)).not.toBeNull()
    const events = await few.ctx.db.read
      .selectFrom('audit_events')
      .select(['user_id', 'detail_json'])
      .where('action', '=', 'end_session')
      .execute()
    expect(events).toEqual([{ user_id: user.id, detail_json: '{"oldest":1}' }])
  })

  test('that are ended no longer work in any process', async () => {
    const other = await instance.again()
    const user = await person()
    const [here, there] = [await enter(user.email), await enter(user.email)]
    expect(await findSession(other.ctx, there.token)).not.toBeNull()
    await endOtherSessions(instance.ctx, here.session)
    expect(await findSession(other.ctx, there.token)).toBeNull()
    expect(await findSession(other.ctx, here.token)).not.toBeNull()
    await signOut(instance.ctx, here.token)
    expect(await findSession(other.ctx, here.token)).toBeNull()
  })

  test('of two parallel changes of a password one succeeds', async () => {
    const user = await person()
    const { session } = await enter(user.email)
    const other = await instance.again()
    const changes = await Promise.allSettled(
      [instance, other].map(({ ctx }, index) =>
        changePassword(ctx, session, { current: password, next: `another password ${index}` }),
      ),
    )
    const won = changes.findIndex(({ status }) => status === 'fulfilled')
    expect(changes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const next = `another password ${won}`
    const { token } = whole(
      await signIn(instance.ctx, { email: user.email, password: next }, visitor),
    )
    expect(await findSession(instance.ctx, token)).not.toBeNull()
  })

  test('a sign-in opens no session if the password changes meanwhile', async () => {
    const user = await person()
    const { db } = instance.ctx
    const write: typeof db.write = async (unit) => {
      await resetPassword(instance.ctx, { email: user.email, password: 'another password' })
      return await db.write(unit)
    }
    const late = signIn(
      { ...instance.ctx, db: { ...db, write } },
      { email: user.email, password },
      visitor,
    )
    await expect(late).rejects.toMatchObject({ code: 'credentials_wrong' })
    expect(await listSessions(instance.ctx, user.id)).toEqual([])
  })

  test('a person without a password can neither sign in with one nor change it', async () => {
    const { user } = await createUser(instance.ctx, { email: 'openid-only@example.com' })
    for (const guess of ['', 'null', password])
      await expect(
        signIn(instance.ctx, { email: user.email, password: guess }, visitor),
      ).rejects.toMatchObject({ code: 'credentials_wrong' })
    const session = { id: 'x', user, address: null }
    await expect(
      changePassword(instance.ctx, session, { current: '', next: password }),
    ).rejects.toMatchObject({ code: 'credentials_wrong' })
  })

  test('that have ended are deleted, and live ones stay', async () => {
    const user = await person()
    await enter(user.email)
    instance.advance(6 * dayMs)
    const fresh = await enter(user.email)
    instance.advance(2 * dayMs)
    await sweepSessions.run(instance.ctx, {}, anyRun)
    const rows = await instance.ctx.db.read
      .selectFrom('sign_in_sessions')
      .select('id')
      .where('user_id', '=', user.id)
      .execute()
    expect(rows).toEqual([{ id: fresh.session.id }])
  })
})
