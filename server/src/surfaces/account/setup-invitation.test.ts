import { beforeAll, expect, test } from 'vitest'
import { createSetupLink, findUserByEmail } from '#features/identity/index.ts'
import { inviteMember, revokeInvitation } from '#features/members/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

const password = 'several unrelated words'

/** The text of a page: no tags, and quotation marks as people read them. */
function textOf(page: string): string {
  const text = page.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"')
}

describeSignIn('a set-up link with an invitation', (open) => {
  let service: SignInService
  let people = 0

  beforeAll(async () => {
    service = await open()
  })

  /** What an operator gives to a new person without a mail server. */
  async function vouchedInvitation(invited?: string) {
    people += 1
    const email = `newcomer-${people}@example.com`
    const input = { role: 'editor', email: invited ?? email } as const
    const { id, link } = await inviteMember(service.ctx, service.ada, input)
    const { setup } = await createSetupLink(service.ctx, { email })
    const invitation = new URL(link ?? '').pathname
    const token = invitation.split('/').at(-1)
    return { id, email, invitation, path: `/setup?token=${setup.token}&invitation=${token}` }
  }
  const invites = 'invites you to the workspace'
  const roleOf = async (email: string) => {
    const { id } = (await findUserByEmail(service.ctx, email))!
    return await roleIn(service.ctx.db.read, id, service.ada.workspaceId)
  }

  test('lets a new person choose a password and join in one step', async () => {
    const { email, path } = await vouchedInvitation()
    const browser = service.browser()
    await browser.open(path)
    expect(await roleOf(email)).toBeNull()
    await browser.submit('/setup', { name: 'New', password: 'short' })
    expect(browser.response.status).toBe(422)
    await browser.submit('/setup', { name: 'New', password })
    expect(browser.url.pathname).toBe('/agents')
    expect(browser.url.searchParams.get('workspace')).toBe(service.ada.workspaceId)
    expect(await roleOf(email)).toBe('editor')
    expect(await findUserByEmail(service.ctx, email)).toMatchObject({ emailProof: 'operator' })
  })

  test('names the inviting person, the workspace and the role, also after an error', async () => {
    const { path } = await vouchedInvitation()
    const { name } = await service.ctx.db.read
      .selectFrom('workspaces')
      .select('name')
      .where('id', '=', service.ada.workspaceId)
      .executeTakeFirstOrThrow()
    const words = `ada ${invites} ${name}, as editor. You join it when you finish the set-up.`
    const browser = service.browser()
    await browser.open(path)
    expect(textOf(browser.html)).toContain(words)
    await browser.submit('/setup', { name: 'New', password: 'short' })
    expect(textOf(browser.html)).toContain(words)
  })

  test('works once: later it leads to the invitation, which is used', async () => {
    const { path } = await vouchedInvitation()
    const browser = service.browser()
    await browser.open(path)
    await browser.submit('/setup', { password })
    const late = service.browser()
    await late.open(path)
    expect(late.url.pathname).toMatch(/^\/invitations\//)
    expect(late.response.status).toBe(410)
  })

  test('sets up the account, and nothing more, if the invitation was revoked', async () => {
    const { id, email, path } = await vouchedInvitation()
    await revokeInvitation(service.ctx, service.ada, id)
    const browser = service.browser()
    await browser.open(path)
    expect(browser.response.status).toBe(200)
    expect(textOf(browser.html)).not.toContain(invites)
    await browser.submit('/setup', { password })
    expect(browser.response.status).toBe(410)
    expect(await roleOf(email)).toBeNull()
    await browser.open('/account')
    expect(browser.html).toContain(email)
  })

  test('does not accept an invitation for another person', async () => {
    const { email, path, invitation } = await vouchedInvitation('other@example.com')
    const browser = service.browser()
    await browser.open(path)
    expect(textOf(browser.html)).not.toContain(invites)
    await browser.submit('/setup', { password })
    expect(browser.url.pathname).toBe(invitation)
    expect(browser.html).toContain('This invitation is for other@example.com')
    expect(await roleOf(email)).toBeNull()
  })
})
