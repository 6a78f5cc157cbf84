import { beforeAll, expect, test } from 'vitest'
import {
  createAgentKey,
  createDeveloperKey,
  keepKey,
  listKeysToRotate,
  revokeAgentKey,
} from '#features/api-keys/index.ts'
import { createAgent } from '#features/agents/index.ts'
import { authenticateBearer } from '#features/grants/index.ts'
import { acceptInvitation, inviteMember, removeMember } from '#features/members/index.ts'
import { authenticateCaller } from '#features/turns/index.ts'
import { mintToken } from '#kernel/tokens.ts'
import {
  authorizeFlow,
  grantFlow,
  redeem,
  refresh,
  refusal,
} from '#test/support/identity/oauth-flow.ts'
import {
  describeSignIn,
  unprove,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { whole } from '#test/support/identity/whole-session.ts'
import {
  changeEmailOf,
  completeSetup,
  createSetupLink,
  disableUser,
  enableUser,
  endUserSessions,
  findSession,
  readUndoLink,
  resetPassword,
  signIn,
} from './index.ts'

const visitor = { address: '203.0.113.7', userAgent: 'A browser', sessionToken: null }
const page = { limit: 10 }

describeSignIn('all credentials of a person', (open) => {
  let service: SignInService
  let people = 0

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
  })

  const account = async () => {
    people += 1
    return await service.account(`person-${people}`)
  }

  /** As it was mailed to a former address. */
  async function undoLink({ userId, email }: Account): Promise<string> {
    const { token, hash } = mintToken('')
    const now = service.ctx.clock.now()
    const times = { created_at: now, expires_at: now + 60_000, used_at: null }
    const link = { hash, purpose: 'undo', user_id: userId, invitation_id: null, ...times } as const
    await service.ctx.db.write((tx) =>
      tx
        .insertInto('email_links')
        .values({ ...link, email: `former-${email}` })
        .execute(),
    )
    expect(await readUndoLink(service.ctx, token)).toMatchObject({ email: `former-${email}` })
    return token
  }

  /** Everything that acts for a person, or leads back to their account. */
  async function everything(person: Account) {
    const { ctx } = service
    const holder = { ...person, name: 'Person', role: 'owner' } as const
    const { token: session } = whole(await signIn(ctx, person, visitor))
    const { key } = await createDeveloperKey(ctx, holder, { name: 'a key' })
    const tokens = await grantFlow(service, holder)
    const pending = await authorizeFlow(service, holder)
    const made = await inviteMember(ctx, person, { role: 'admin' })
    const agent = await createAgent(ctx, holder, { name: 'Shop' })
    const input = { appId: agent.id, name: 'site' }
    const chat = await createAgentKey(ctx, person, { ...input, kind: 'chat' })
    const acp = await createAgentKey(ctx, person, { ...input, kind: 'acp' })
    const invitation = String(made.link?.split('/').at(-1))
    const undo = await undoLink(person)
    return { session, key, tokens, pending, invitation, chat, acp, undo }
  }

  async function expectEnded(own: Awaited<ReturnType<typeof everything>>) {
    const { ctx } = service
    expect(await findSession(ctx, own.session)).toBeNull()
    const unknown = refusal('token_unknown')
    await expect(authenticateBearer(ctx, own.key)).rejects.toMatchObject(unknown)
    await expect(authenticateBearer(ctx, own.tokens.accessToken)).rejects.toMatchObject(unknown)
    const invalid = refusal('grant_invalid')
    await expect(refresh(service, own.tokens.refreshToken)).rejects.toMatchObject(invalid)
    await expect(redeem(service, own.pending)).rejects.toMatchObject(invalid)
    await expect(readUndoLink(ctx, own.undo)).rejects.toMatchObject({ code: 'email_link_invalid' })
    const guest = await account()
    const person = { id: guest.userId, email: guest.email }
    await expect(acceptInvitation(ctx, own.invitation, person)).rejects.toMatchObject({
      code: 'invitation_invalid',
    })
  }

  test('end when the operator resets the password; chat and checkout keys stay and are listed', async () => {
    const person = await account()
    const own = await everything(person)
    const { keysToRotate } = await resetPassword(service.ctx, {
      ...person,
      password: 'a new password',
    })
    await expectEnded(own)
    await authenticateCaller(service.ctx, own.chat.key)
    const listed = [
      { id: own.acp.id, kind: 'acp', reason: 'password_reset', agentName: 'Shop' },
      { id: own.chat.id, kind: 'chat', reason: 'password_reset', agentName: 'Shop' },
    ]
    expect(keysToRotate).toMatchObject(listed)
    const { items } = await listKeysToRotate(service.ctx, person.workspaceId, page)
    expect(items).toMatchObject(listed)
    await signIn(service.ctx, { ...person, password: 'a new password' }, visitor)
  })

  test('end when the operator asks for a set-up link, which works once and for this address only', async () => {
    const person = await account()
    const own = await everything(person)
    const { setup } = await resetPassword(service.ctx, { email: person.email })
    await expectEnded(own)
    await expect(signIn(service.ctx, person, visitor)).rejects.toMatchObject({
      code: 'credentials_wrong',
    })
    const given = { email: 'ceo@victim.example', name: 'P', password: 'a new password' }
    const { session } = whole(await completeSetup(service.ctx, setup!.token, given, visitor))
    expect(session.user).toMatchObject({ id: person.userId, email: person.email })
  })

  test('end when the person is disabled, who then cannot sign in by any way until enabled', async () => {
    const person = await account()
    const own = await everything(person)
    const { keysToRotate, user } = await disableUser(service.ctx, person.email)
    expect(user.disabledAt).toBe(service.ctx.clock.now())
    expect(keysToRotate).toMatchObject([{ reason: 'person_disabled' }, {}])
    await expectEnded(own)
    const disabled = { code: 'person_disabled' }
    await expect(signIn(service.ctx, person, visitor)).rejects.toMatchObject(disabled)
    const wrong = signIn(service.ctx, { ...person, password: 'a guess' }, visitor)
    await expect(wrong).rejects.toMatchObject({ code: 'credentials_wrong' })
    const { setup } = await resetPassword(service.ctx, { email: person.email })
    const given = { email: '', name: '', password: 'a new password' }
    await expect(completeSetup(service.ctx, setup!.token, given, visitor)).rejects.toMatchObject({
      code: 'setup_link_invalid',
    })
    await enableUser(service.ctx, person.email)
    await completeSetup(service.ctx, setup!.token, given, visitor)
    await signIn(service.ctx, { ...person, password: given.password }, visitor)
    await expectEnded(own)
  })

  test('end with the password when the operator vouches for another address, if none was proven', async () => {
    const person = await account()
    await unprove(service, person)
    const own = await everything(person)
    const to = `vouched-${person.email}`
    const { user, keysToRotate } = await changeEmailOf(service.ctx, { email: person.email, to })
    expect(user).toMatchObject({ email: to, emailProof: 'operator' })
    expect(keysToRotate).toMatchObject([{ reason: 'account_claimed' }, {}])
    await expectEnded(own)
    const again = signIn(service.ctx, { ...person, email: to }, visitor)
    await expect(again).rejects.toMatchObject({ code: 'credentials_wrong' })
  })

  test('stay, but for mailed links, when the operator changes an address that was proven', async () => {
    const person = await account()
    const own = await everything(person)
    const to = `vouched-${person.email}`
    const { keysToRotate } = await changeEmailOf(service.ctx, { email: person.email, to })
    expect(keysToRotate).toEqual([])
    await authenticateBearer(service.ctx, own.key)
    const undone = readUndoLink(service.ctx, own.undo)
    await expect(undone).rejects.toMatchObject({ code: 'email_link_invalid' })
    await signIn(service.ctx, { ...person, email: to }, visitor)
  })

  test('a person who is disabled while they sign in gets no session', async () => {
    const person = await account()
    const { db } = service.ctx
    const write: typeof db.write = async (unit) => {
      await disableUser(service.ctx, person.email)
      return await db.write(unit)
    }
    const late = signIn({ ...service.ctx, db: { ...db, write } }, person, visitor)
    await expect(late).rejects.toMatchObject({ code: 'person_disabled' })
  })

  test('only sessions end with end-sessions', async () => {
    const person = await account()
    const own = await everything(person)
    await endUserSessions(service.ctx, person.email)
    expect(await findSession(service.ctx, own.session)).toBeNull()
    await authenticateBearer(service.ctx, own.key)
    await authenticateBearer(service.ctx, own.tokens.accessToken)
  })

  test('a removed member’s chat and checkout keys are listed until they are revoked or kept', async () => {
    const [host, guest] = [await account(), await account()]
    await service.join({ ...guest, name: 'Guest' }, host.workspaceId, 'editor')
    const agent = await createAgent(service.ctx, { ...host }, { name: 'Shop' })
    const [mine, theirs] = [host, { ...guest, workspaceId: host.workspaceId }]
    const input = { appId: agent.id, name: 'site', kind: 'chat' } as const
    await createAgentKey(service.ctx, mine, input)
    const [first, second] = [
      await createAgentKey(service.ctx, theirs, input),
      await createAgentKey(service.ctx, theirs, input),
    ]
    const { keysToRotate } = await removeMember(service.ctx, host, guest.userId)
    expect(keysToRotate.map(({ id }) => id)).toEqual([second.id, first.id])
    const ids = async () =>
      (await listKeysToRotate(service.ctx, host.workspaceId, page)).items.map(({ id }) => id)
    expect(await ids()).toEqual([second.id, first.id])
    await revokeAgentKey(service.ctx, host.workspaceId, 'chat', first.id)
    await keepKey(service.ctx, host.workspaceId, second.id)
    expect(await ids()).toEqual([])
    await expect(keepKey(service.ctx, guest.workspaceId, second.id)).rejects.toMatchObject({
      code: 'record_not_found',
    })
  })

  test('a set-up link of an operator is renewed until it is used, and then the address is taken', async () => {
    const email = 'new-person@example.com'
    const first = await createSetupLink(service.ctx, { email, name: 'New' })
    const second = await createSetupLink(service.ctx, { email })
    expect(second.user).toMatchObject({ id: first.user.id, emailProof: 'operator' })
    const given = { email: 'ceo@victim.example', name: 'New', password: 'a good password' }
    await expect(
      completeSetup(service.ctx, first.setup.token, given, visitor),
    ).rejects.toMatchObject({ code: 'setup_link_invalid' })
    const { session } = whole(await completeSetup(service.ctx, second.setup.token, given, visitor))
    expect(session.user.email).toBe(email)
    await expect(createSetupLink(service.ctx, { email })).rejects.toMatchObject({
      code: 'email_taken',
    })
  })
})
