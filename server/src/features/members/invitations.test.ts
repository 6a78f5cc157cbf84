import { beforeAll, describe, expect, test } from 'vitest'
import { createUser, findSession, insertEmailLink, signIn } from '#features/identity/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { listInvitations } from '#features/invitations/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { mintToken } from '#kernel/tokens.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { whole } from '#test/support/identity/whole-session.ts'
import {
  acceptByPassword,
  acceptInvitation,
  inviteMember,
  leaveWorkspace,
  readInvitation,
  resendInvitation,
  revokeInvitation,
} from './index.ts'

const visitor = { address: '203.0.113.9', userAgent: 'A browser', sessionToken: null }
const password = 'a good password'
const invalid = { code: 'invitation_invalid' }

describeInstance('invitations', (open) => {
  let instance: TestInstance
  let people = 0

  beforeAll(async () => {
    instance = await open()
  })

  const tokenOf = (link: string | null) => {
    if (link === null) throw new Error('there is no link')
    return link.slice(link.lastIndexOf('/') + 1)
  }
  const invite = async (home: Person, email?: string) => {
    const issued = await inviteMember(instance.ctx, home, { role: 'editor', email })
    return { ...issued, token: tokenOf(issued.link) }
  }
  const account = ({ userId, email }: Person) => ({ id: userId, email })
  const newcomer = () => {
    people += 1
    return { email: `newcomer-${people}@example.com`, name: `Newcomer ${people}`, password }
  }

  test('make a signed-in person a member with the role, once', async () => {
    const [ada, bob, eve] = [
      await instance.person(),
      await instance.person(),
      await instance.person(),
    ]
    const { token } = await invite(ada)
    expect(await readInvitation(instance.ctx, token)).toMatchObject({ role: 'editor' })
    await acceptInvitation(instance.ctx, token, account(bob))
    expect(await roleIn(instance.ctx.db.read, bob.userId, ada.workspaceId)).toBe('editor')
    await expect(acceptInvitation(instance.ctx, token, account(eve))).rejects.toMatchObject(invalid)
    await expect(readInvitation(instance.ctx, token)).rejects.toMatchObject(invalid)
  })

  test('store only the hash of their link', async () => {
    const ada = await instance.person()
    const { token, id } = await invite(ada)
    const row = await instance.ctx.db.read
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(token)
  })

  /** A newcomer's answer to the link that proves their address, as if it had been mailed. */
  const proven = async (invitationId: string) => {
    const [given, minted] = [newcomer(), mintToken('')]
    const now = instance.ctx.clock.now()
    const link = { hash: minted.hash, purpose: 'join', email: given.email, user_id: null } as const
    const times = { created_at: now, expires_at: now + dayMs }
    await instance.ctx.db.write((tx) =>
      insertEmailLink(tx, { ...link, ...times, invitation_id: invitationId }),
    )
    return { ...given, proof: minted.token }
  }

  test('create an account for a newcomer with a proven address, who is then signed in and in no other workspace', async () => {
    const ada = await instance.person()
    const { token, id } = await invite(ada)
    const given = await proven(id)
    const { token: cookie, session } = whole(
      await acceptByPassword(instance.ctx, token, given, visitor),
    )
    expect(session.user).toMatchObject({ email: given.email, name: given.name })
    expect(await findSession(instance.ctx, cookie)).not.toBeNull()
    const seats = await instance.ctx.db.read
      .selectFrom('memberships')
      .select(['workspace_id', 'role'])
      .where('user_id', '=', session.user.id)
      .execute()
    expect(seats).toEqual([{ workspace_id: ada.workspaceId, role: 'editor' }])
    await signIn(instance.ctx, given, visitor)
  })

  test('accept the password of a person who has an account', async () => {
    const ada = await instance.person()
    const given = newcomer()
    await createUser(instance.ctx, given)
    await acceptByPassword(instance.ctx, (await invite(ada)).token, given, visitor)
    const bob = await instance.person()
    const { token } = await invite(bob)
    const wrong = acceptByPassword(instance.ctx, token, { ...given, password: 'a guess' }, visitor)
    await expect(wrong).rejects.toMatchObject({ code: 'credentials_wrong' })
    const { session } = whole(await acceptByPassword(instance.ctx, token, given, visitor))
    expect(await roleIn(instance.ctx.db.read, session.user.id, bob.workspaceId)).toBe('editor')
  })

  test('for an e-mail are for that person alone', async () => {
    const [ada, bob, eve] = [
      await instance.person(),
      await instance.person(),
      await instance.person(),
    ]
    const { token } = await invite(ada, bob.email.toUpperCase())
    await expect(acceptInvitation(instance.ctx, token, account(eve))).rejects.toMatchObject({
      code: 'invitation_for_another',
    })
    await acceptInvitation(instance.ctx, token, account(bob))
    const invited = newcomer()
    await createUser(instance.ctx, invited)
    const other = await invite(ada, invited.email)
    const given = { ...invited, email: 'somebody-else@example.com' }
    const { session } = whole(await acceptByPassword(instance.ctx, other.token, given, visitor))
    expect(session.user.email).toBe(invited.email)
  })

  test('end after seven days', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    const { token } = await invite(ada)
    instance.advance(7 * dayMs - 1)
    await readInvitation(instance.ctx, token)
    instance.advance(1)
    await expect(acceptInvitation(instance.ctx, token, account(bob))).rejects.toMatchObject(invalid)
    const { items } = await listInvitations(instance.ctx, ada.workspaceId, { limit: 10 })
    expect(items.map(({ status }) => status)).toEqual(['expired'])
  })

  test('end when they are revoked; sending again ends the old link', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    const first = await invite(ada)
    const again = await resendInvitation(instance.ctx, ada, { id: first.id })
    await expect(readInvitation(instance.ctx, first.token)).rejects.toMatchObject(invalid)
    await readInvitation(instance.ctx, tokenOf(again.link))
    await revokeInvitation(instance.ctx, ada, first.id)
    await expect(
      acceptInvitation(instance.ctx, tokenOf(again.link), account(bob)),
    ).rejects.toMatchObject(invalid)
    await expect(resendInvitation(instance.ctx, ada, { id: first.id })).rejects.toMatchObject(
      invalid,
    )
  })

  test('are limited to one open per e-mail, and members get none', async () => {
    const ada = await instance.person()
    const { email } = newcomer()
    await invite(ada, email)
    await expect(invite(ada, email)).rejects.toMatchObject({ code: 'already_invited' })
    await expect(invite(ada, ada.email)).rejects.toMatchObject({ code: 'already_member' })
    await expect(invite(ada, 'no address')).rejects.toMatchObject({ code: 'email_invalid' })
  })

  test('that have expired are sent again only to people who are neither invited nor members', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    const { email } = newcomer()
    const [first, second] = [await invite(ada, email), await invite(ada, bob.email)]
    instance.advance(7 * dayMs)
    await invite(ada, email)
    await instance.join(bob, ada.workspaceId, 'viewer')
    const resend = (id: string) => resendInvitation(instance.ctx, ada, { id })
    await expect(resend(first.id)).rejects.toMatchObject({ code: 'already_invited' })
    await expect(resend(second.id)).rejects.toMatchObject({ code: 'already_member' })
  })

  test('to be an admin can only be created, sent again and revoked by an owner', async () => {
    const [ada, boss] = [await instance.person(), await instance.person()]
    await instance.join(boss, ada.workspaceId, 'admin')
    const actor = { userId: boss.userId, workspaceId: ada.workspaceId }
    const refused = { code: 'role_not_yours_to_give' }
    await expect(inviteMember(instance.ctx, actor, { role: 'admin' })).rejects.toMatchObject(
      refused,
    )
    const { id } = await inviteMember(instance.ctx, ada, { role: 'admin' })
    await expect(resendInvitation(instance.ctx, actor, { id })).rejects.toMatchObject(refused)
    await expect(revokeInvitation(instance.ctx, actor, id)).rejects.toMatchObject(refused)
    await inviteMember(instance.ctx, actor, { role: 'editor' })
  })

  test('to a deleted workspace are invalid', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    const { token } = await invite(ada)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('workspaces')
        .set({ deleted_at: 1 })
        .where('id', '=', ada.workspaceId)
        .execute(),
    )
    await expect(acceptInvitation(instance.ctx, token, account(bob))).rejects.toMatchObject(invalid)
  })

  describe('within the plan', () => {
    const full = { code: 'plan_limit_reached' }

    test('are refused when the plan’s limit of members is reached', async () => {
      const ada = await instance.person({ plan: 'free' })
      await expect(invite(ada)).rejects.toMatchObject(full)
    })

    test('a link from before a downgrade does not exceed the new limit', async () => {
      const [ada, bob] = [await instance.person(), await instance.person()]
      const { token } = await invite(ada)
      await instance.ctx.db.write((tx) =>
        tx
          .updateTable('workspaces')
          .set({ plan: 'free' })
          .where('id', '=', ada.workspaceId)
          .execute(),
      )
      await expect(acceptInvitation(instance.ctx, token, account(bob))).rejects.toMatchObject(full)
      await readInvitation(instance.ctx, token)
    })

    test('of two people who accept the last slot at once, one gets it', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [ada, bob, eve] = [
          await instance.person(),
          await instance.person(),
          await instance.person(),
        ]
        const links = [await invite(ada), await invite(ada)]
        await instance.ctx.db.write((tx) =>
          tx
            .updateTable('workspaces')
            .set({ plan: 'free' })
            .where('id', '=', ada.workspaceId)
            .execute(),
        )
        // The one place of the plan becomes free, as its owner goes beyond the rules of the verbs.
        await instance.ctx.db.write((tx) =>
          tx.deleteFrom('memberships').where('workspace_id', '=', ada.workspaceId).execute(),
        )
        const joined = await Promise.allSettled([
          acceptInvitation(instance.ctx, links[0]!.token, account(bob)),
          acceptInvitation(instance.ctx, links[1]!.token, account(eve)),
        ])
        expect(joined.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      }
    })
  })

  describe('at the same time', () => {
    test('one link adds one member, even if two people use it', async () => {
      for (let round = 0; round < 10; round += 1) {
        const ada = await instance.person()
        const { token } = await invite(ada)
        const guests = [await instance.person(), await instance.person(), await instance.person()]
        const joined = await Promise.allSettled(
          guests.map((guest) => acceptInvitation(instance.ctx, token, account(guest))),
        )
        expect(joined.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      }
    })

    test('one link creates one account, even if its form is sent twice', async () => {
      const ada = await instance.person()
      const { token, id } = await invite(ada)
      const given = await proven(id)
      const sent = await Promise.allSettled([
        acceptByPassword(instance.ctx, token, given, visitor),
        acceptByPassword(instance.ctx, token, given, visitor),
      ])
      expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    test('of revoking and accepting, one succeeds', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [ada, bob] = [await instance.person(), await instance.person()]
        const { token, id } = await invite(ada)
        const [accepted, revoked] = await Promise.allSettled([
          acceptInvitation(instance.ctx, token, account(bob)),
          revokeInvitation(instance.ctx, ada, id),
        ])
        expect([accepted.status, revoked.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      }
    })
  })

  test('a person who left may be invited again', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    await acceptInvitation(instance.ctx, (await invite(ada)).token, account(bob))
    await leaveWorkspace(instance.ctx, { userId: bob.userId, workspaceId: ada.workspaceId })
    await acceptInvitation(instance.ctx, (await invite(ada, bob.email)).token, account(bob))
    expect(await roleIn(instance.ctx.db.read, bob.userId, ada.workspaceId)).toBe('editor')
  })
})
