import { beforeAll, expect, test } from 'vitest'
import { listInvitations } from '#features/invitations/index.ts'
import {
  describeInstance,
  type OpenInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { inviteMember, resendInvitation, revokeInvitation } from './index.ts'

describeInstance('an invitation by mail', (open: OpenInstance) => {
  let instance: TestInstance

  beforeAll(async () => {
    // No job runs, so nothing is sent.
    const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Parley <parley@example.com>' }
    instance = await open({ ...mail, INVITATION_MAILS_LIMIT: '4' })
  })

  const invite = async (email: string) => {
    const ada = await instance.person()
    const issued = await inviteMember(instance.ctx, ada, { role: 'editor', email })
    return { ada, ...issued }
  }

  test('reaches one address a limited number of times a day, whoever invites and sends again', async () => {
    const limit = 4
    const email = 'flooded@example.com'
    const { ada, id } = await invite(email)
    await expect(inviteMember(instance.ctx, ada, { role: 'editor', email })).rejects.toMatchObject({
      code: 'already_invited',
    })
    for (let count = 2; count < limit; count += 1) await resendInvitation(instance.ctx, ada, { id })
    const eve = await invite(email)
    const limited = { code: 'invitations_limited', facts: { email } }
    const other = await instance.person()
    const invited = inviteMember(instance.ctx, other, { role: 'editor', email })
    await expect(invited).rejects.toMatchObject(limited)
    const again = resendInvitation(instance.ctx, ada, { id })
    await expect(again).rejects.toMatchObject(limited)

    expect((await invite('calm@example.com')).mail).toBe('pending')
    const shown = await resendInvitation(instance.ctx, eve.ada, { id: eve.id, byMail: false })
    expect(shown.link).toContain('/invitations/')
  })

  test('from one workspace leaves room for the invitations of others', async () => {
    const email = 'wanted@example.com'
    const stranger = await invite(email)
    const again = () => resendInvitation(instance.ctx, stranger.ada, { id: stranger.id })
    for (let count = 2; count <= 3; count += 1) await again()
    await expect(again()).rejects.toMatchObject({ code: 'invitations_limited', facts: { email } })
    await expect(again()).rejects.toMatchObject({ code: 'invitations_limited' })
    expect((await invite(email)).mail).toBe('pending')
  })

  test('is limited for one address also at the same time', async () => {
    const email = 'raced@example.com'
    const limit = 4
    const people = await Promise.all(Array.from({ length: limit + 3 }, () => instance.person()))
    const sent = await Promise.allSettled(
      people.map((person) => inviteMember(instance.ctx, person, { role: 'editor', email })),
    )
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(limit)
  })
})

describeInstance('the invitations of a workspace', (open: OpenInstance) => {
  test('are limited in a day, also revoked ones; refused ones do not count', async () => {
    const instance = await open({ INVITATIONS_PER_DAY: '2' })
    const ada = await instance.person()
    const invite = (email?: string) => inviteMember(instance.ctx, ada, { role: 'editor', email })
    const first = await invite('one@example.com')
    await expect(invite('one@example.com')).rejects.toMatchObject({ code: 'already_invited' })
    await invite()
    await revokeInvitation(instance.ctx, ada, first.id)
    await expect(invite()).rejects.toMatchObject({
      code: 'workspace_invitations_limited',
      facts: { limit: 2 },
    })
    await resendInvitation(instance.ctx, ada, { id: (await listed(instance, ada))[0]!.id })
    const bob = await instance.person()
    expect((await inviteMember(instance.ctx, bob, { role: 'editor' })).status).toBe('open')
  })

  async function listed({ ctx }: TestInstance, { workspaceId }: Person) {
    return (await listInvitations(ctx, workspaceId, { limit: 10 })).items
  }
})
