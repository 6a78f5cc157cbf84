import { Secret, TOTP } from 'otpauth'
import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { createDeveloperKey } from '#features/api-keys/index.ts'
import { authenticateBearer, authorize } from '#features/grants/index.ts'
import { disableUser, endUserSessions, signIn } from '#features/identity/index.ts'
import { beginApp, finishApp } from '#features/second-factors/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import { beginFlow, grantFlow, refusal } from '#test/support/identity/oauth-flow.ts'
import {
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { tried } from '#test/support/tried.ts'
import { whole } from '#test/support/identity/whole-session.ts'

const visitor = { address: '203.0.113.7', userAgent: 'A browser', sessionToken: null }
const ended = refusal('credential_ended')

/** A request is authenticated, and its credential ends before the unit of the request. */
describeSignIn('a credential that ends during its request', (open) => {
  let service: SignInService
  let people = 0

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
  })

  const signedIn = async () => {
    people += 1
    const person = await service.account(`late-${people}`)
    const { session } = whole(await signIn(service.ctx, person, visitor))
    const actor = actorOf({ ...person, name: 'Late' }, { session: session.id })
    return { person, session, actor }
  }
  /** A context whose first unit waits until something else was committed. */
  const after = (event: () => Promise<unknown>): Context => {
    const { db } = service.ctx
    let isFirst = true
    const write: typeof db.write = async (unit) => {
      if (isFirst) {
        isFirst = false
        await event()
      }
      return await db.write(unit)
    }
    return { ...service.ctx, db: { ...db, write } }
  }
  const run = (ctx: Context, actor: Actor, name: string, input: object) =>
    runOperation(ctx, actor, findOperation(name)!, input)
  const liveKeys = async ({ userId }: Account) =>
    await service.ctx.db.read
      .selectFrom('api_keys')
      .select('id')
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .execute()
  const disable = (person: Account) => disableUser(service.ctx, person.email)

  test('creates no key, whichever kind', async (context) => {
    const names = ['create_developer_key', 'create_chat_key', 'create_acp_key']
    for (const name of names) {
      const { person, actor } = await signedIn()
      const agent = await createAgent(service.ctx, person, { name: 'Shop' })
      const input = name === 'create_developer_key' ? {} : { app_id: agent.id }
      const late = run(
        after(() => disable(person)),
        actor,
        name,
        { name: 'late', ...input },
      )
      await expect(late).rejects.toMatchObject(ended)
      expect(await liveKeys(person)).toEqual([])
    }
    tried(context, names.length)
  })

  test('creates no authorization code', async () => {
    const { person, actor } = await signedIn()
    const { ticket } = await beginFlow(service)
    const late = authorize(
      after(() => disable(person)),
      actor,
      ticket,
      ['*'],
    )
    await expect(late).rejects.toMatchObject(ended)
    const requests = await service.ctx.db.read
      .selectFrom('authorization_requests')
      .select('code_hash')
      .where('user_id', '=', person.userId)
      .execute()
    expect(requests).toEqual([])
  })

  test('adds no second factor', async () => {
    const { person, session } = await signedIn()
    const { userId, email } = person
    const holder = { userId, email, name: 'Late', sessionId: session.id, address: null }
    const { secret } = await beginApp(service.ctx, holder)
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = totp.generate({ timestamp: service.ctx.clock.now() })
    const ctx = after(() => endUserSessions(service.ctx, person.email))
    await expect(finishApp(ctx, holder, { code, name: 'Phone' })).rejects.toMatchObject(ended)
  })

  test('of an assistant changes nothing, whether it is a key or a grant', async (context) => {
    const tokenOf = {
      async developer_key(person: Account) {
        const holder = { ...person, role: 'owner' } as const
        return (await createDeveloperKey(service.ctx, holder, { name: 'a key' })).key
      },
      async grant(person: Account) {
        return (await grantFlow(service, { ...person, name: 'Late' })).accessToken
      },
    }
    for (const credential of Object.values(tokenOf)) {
      const { person } = await signedIn()
      const { actor } = await authenticateBearer(service.ctx, await credential(person))
      const late = run(
        after(() => disable(person)),
        actor,
        'create_app',
        { name: 'Late' },
      )
      await expect(late).rejects.toMatchObject(ended)
    }
    tried(context, 2)
  })

  test('leaves no live key, in whatever order the two commit', async (context) => {
    const rounds = 6
    for (let round = 0; round < rounds; round += 1) {
      const { person, actor } = await signedIn()
      const creating = run(service.ctx, actor, 'create_developer_key', { name: 'late' })
      const [created, disabled] = await Promise.allSettled([creating, disable(person)])
      expect(disabled.status).toBe('fulfilled')
      if (created.status === 'rejected') expect(created.reason).toMatchObject(ended)
      expect(await liveKeys(person)).toEqual([])
    }
    tried(context, rounds)
  })
})
