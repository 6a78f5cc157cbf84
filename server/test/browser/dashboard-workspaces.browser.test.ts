import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

describeDashboard('workspaces and the people in them', (open) => {
  let service: DashboardService

  beforeAll(async () => {
    service = await open()
    await service.call('create_app', { name: 'Support', description: 'Answers' })
  })

  const main = (page: Page) => page.getByRole('main')

  async function headingAt(link: string): Promise<string> {
    const page = await service.page()
    await page.goto(link)
    const heading = await page.getByRole('heading', { level: 1 }).innerText()
    await page.context().close()
    return heading
  }

  test('a workspace is renamed, and the switcher shows it', async () => {
    const page = await service.visit('/settings/workspace')
    await main(page).getByLabel('Workspace name', { exact: true }).fill('The tea shop')
    await main(page).getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('button', { name: /Switch workspace/ })
      .getByText('The tea shop')
      .waitFor()
  })

  test('another workspace has its own URL, which links keep', async () => {
    const page = await service.visit('/settings/workspace')
    await main(page).getByLabel('New workspace name').fill('Second')
    await main(page).getByRole('button', { name: 'Create workspace' }).click()
    await main(page).getByText('Create your first agent').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Workspace' }).waitFor()
    expect(new URL(page.url()).searchParams.get('workspace')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await main(page).getByLabel('Workspace name', { exact: true }).inputValue()).toBe(
      'Second',
    )
    await page.getByRole('button', { name: /Switch workspace/ }).click()
    await page.getByRole('menuitemradio').first().click()
    await main(page).getByText('Support', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.has('workspace')).toBe(false)
  })

  test('a workspace is deleted by typing its name, and restored', async () => {
    const zoe = await service.account('Zoe')
    await service.call('create_workspace', { name: 'Short-lived' }, zoe)
    const page = await service.visit('/settings/workspace', { as: zoe })
    await page.getByRole('button', { name: /Switch workspace/ }).click()
    await page.getByRole('menuitemradio', { name: 'Short-lived' }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await main(page).getByRole('button', { name: 'Delete workspace' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete workspace' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('textbox').fill('Short-lived')
    await dialog.getByRole('button', { name: 'Delete workspace' }).click()
    await main(page).getByRole('button', { name: 'Restore Short-lived' }).click()
    await page.getByText('Workspace Short-lived was restored').waitFor()
    await page.getByRole('button', { name: /Switch workspace/ }).click()
    await page.getByRole('menuitemradio', { name: 'Short-lived' }).waitFor()
  })

  test('a member is invited by a link that is shown once and renewed, and the invitation is revoked', async () => {
    const page = await service.visit('/settings/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('dialog').getByText('Viewer').click()
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await page.getByRole('dialog').getByText('Share this link').waitFor()
    const link = page.getByRole('dialog').getByLabel('Invitation link')
    const first = await link.textContent()
    await page.getByRole('button', { name: 'Done' }).click()
    const list = main(page).getByRole('list', { name: 'Invitations' })
    await list.getByText('Anyone with the link').waitFor()
    // A renewed invitation has another link, and the first one expires.
    await list.getByRole('button', { name: 'New link' }).click()
    await page.getByRole('dialog').getByText('Share this link').waitFor()
    const second = await link.textContent()
    expect(second).not.toBe(first)
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await headingAt(String(second))).toContain('Join')
    expect(await headingAt(String(first))).not.toContain('Join')
    await list.getByRole('button', { name: 'Revoke' }).click()
    await main(page).getByText('No pending invitations.').waitFor()
  })

  test('a person who joins arrives in that workspace, also at the next visit', async () => {
    const joe = await service.account('Joe')
    const { link } = await service.call('invite_member', { role: 'viewer' })
    const page = await service.visit('/agents', { as: joe })
    await page.goto(String(link))
    await page.getByRole('button', { name: 'Join' }).click()
    await main(page).getByText('Support', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('workspace')).toBe(service.ada.workspaceId)
    await page.goto(service.baseUrl)
    await main(page).getByText('Support', { exact: true }).waitFor()
    await page.getByRole('button', { name: /Switch workspace/ }).click()
    await page.getByRole('menuitemradio', { name: /Joe/ }).click()
    await main(page).getByText('Create your first agent').waitFor()
    await page.goto(service.baseUrl)
    await main(page).getByRole('heading', { name: 'Welcome, Joe' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('the keys of a removed member are listed for the owner, who keeps one and revokes one', async () => {
    const mallory = await service.account('Mallory', 'editor')
    const app = await service.call('create_app', { name: 'Shop' })
    const as = { ...mallory, workspaceId: service.ada.workspaceId }
    for (const name of ['Site', 'Blog'])
      await service.call('create_chat_key', { app_id: app.id, name }, as)
    const page = await service.visit('/settings/members')
    await main(page).getByRole('button', { name: 'More options for Mallory' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('They know 2 keys or secrets that still work.').waitFor()
    const list = main(page).getByRole('list', { name: 'Keys to replace' })
    await list.getByText('Mallory saw it and was removed on').first().waitFor()
    await expectSound(service, 'keys-to-replace', '/settings/members', (other) =>
      main(other).getByRole('list', { name: 'Keys to replace' }).waitFor(),
    )
    await list.getByRole('button', { name: 'Keep Blog' }).click()
    await list.getByText('Blog').waitFor({ state: 'detached' })
    await list.getByRole('button', { name: 'Revoke Site' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await list.waitFor({ state: 'detached' })
    const { items } = await service.call('list_chat_keys', { app_id: app.id })
    expect(items).toMatchObject([{ name: 'Blog' }])
  })

  test('without a mail server, a new person joins with the one link that the operator is shown', async () => {
    const email = 'newcomer@example.com'
    const page = await service.visit('/settings/members?invite=true')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill(email)
    await dialog.getByText('you vouch that the email belongs to this person').waitFor()
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    const link = await dialog.getByLabel('Set-up link').textContent()
    await dialog.getByText(`${email} chooses a password and joins the workspace`).waitFor()
    const newcomer = await service.page()
    await newcomer.goto(String(link))
    await newcomer.getByLabel('Password').fill('several unrelated words')
    await newcomer.getByRole('button', { name: 'Finish set-up' }).click()
    await newcomer.waitForURL(({ pathname }) => pathname === '/agents')
    expect(new URL(newcomer.url()).searchParams.get('workspace')).toBe(service.ada.workspaceId)
    await page.reload()
    await main(page).getByText(email).waitFor()

    // A person who has an account needs no set-up link.
    const { email: known } = await service.account('Known')
    await page.goto(`${service.baseUrl}/settings/members?invite=true`)
    await dialog.getByLabel('Email').fill(known)
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    await dialog.getByLabel('Invitation link').waitFor()
    await dialog.getByText(`${known} has an account here`).waitFor()
  })

  test('an operator creates an account, whose set-up link is shown once', async () => {
    const page = await service.visit('/settings/members')
    await main(page).getByText('This service has no mail server').waitFor()
    await main(page).getByRole('button', { name: 'Create account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('new-person@example.com')
    await dialog.getByRole('button', { name: 'Create account' }).click()
    const link = await dialog.getByLabel('Set-up link').textContent()
    expect(await headingAt(String(link))).toContain('Set up your account')
    const bob = await service.account('Bystander')
    const other = await service.visit('/settings/members', { as: bob })
    expect(await main(other).getByRole('button', { name: 'Create account' }).count()).toBe(0)
  })

  test("a member's role is changed, and the member is removed", async () => {
    const bob = await service.account('Bob', 'viewer')
    const page = await service.visit('/settings/members')
    await main(page).getByRole('combobox', { name: 'Role of Bob' }).click()
    await page.getByRole('option', { name: /Editor/ }).click()
    await page.getByText('Bob is now Editor').waitFor()
    await main(page).getByRole('button', { name: 'More options for Bob' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await main(page).getByText(bob.email).waitFor({ state: 'detached' })
  })

  test('an owner transfers the workspace, can then do only what an admin can, and leaves', async () => {
    const tess = await service.account('Tess')
    const tom = await service.account('Tom')
    await service.join(tom, tess.workspaceId, 'viewer')
    await service.call('create_workspace', { name: 'Elsewhere' }, tess)
    const here = `?workspace=${tess.workspaceId}`
    const page = await service.visit(`/settings/members${here}`, { as: tess })
    await main(page).getByRole('button', { name: 'More options for Tom' }).click()
    await page.getByRole('menuitem', { name: 'Make owner' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make owner' }).click()
    await page.getByText('Tom now owns this workspace').waitFor()
    // Without a reload: an admin cannot manage owners.
    await main(page).getByRole('combobox', { name: 'Role of Tom' }).waitFor({ state: 'detached' })
    await page.goto(`${service.baseUrl}/settings/workspace${here}`)
    await main(page).getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByText(/^You left /).waitFor()
    const { items } = await service.call('list_workspaces', {}, tess)
    expect(items).toMatchObject([{ name: 'Elsewhere' }])
  })

  test('a person without a workspace creates one', async () => {
    const nora = await service.account('Nora')
    await service.ctx.db.write((tx) =>
      tx.deleteFrom('memberships').where('user_id', '=', nora.userId).execute(),
    )
    await expectSound(
      service,
      'no-workspace',
      '/agents',
      (page) => main(page).getByLabel('New workspace name').waitFor(),
      { as: nora },
    )
    const page = await service.visit('/agents', { as: nora })
    await main(page).getByLabel('New workspace name').fill('A new start')
    await main(page).getByRole('button', { name: 'Create workspace' }).click()
    await main(page).getByText('Create your first agent').waitFor()
    await page
      .getByRole('button', { name: /Switch workspace/ })
      .getByText('A new start')
      .waitFor()
  })

  test('a person who deleted their only workspace restores it from the same page', async () => {
    const rosa = await service.account('Rosa')
    const { name } = await service.call('get_workspace', {}, rosa)
    await service.call('create_app', { name: 'Of Rosa' }, rosa)
    await service.call('delete_workspace', { confirm_name: name }, rosa)
    const page = await service.visit('/agents', { as: rosa })
    await main(page).getByText('You are not a member of any workspace').waitFor()
    await main(page).getByRole('button', { name: 'Restore' }).click()
    await main(page).getByText('Of Rosa').waitFor()
  })
})
