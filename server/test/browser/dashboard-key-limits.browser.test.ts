import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'

describeDashboard('what keys and connected apps are limited to', (open) => {
  let service: DashboardService

  beforeAll(async () => {
    service = await open()
    await service.call('create_app', { name: 'Support' })
  })

  const main = (page: Page) => page.getByRole('main')

  test('a key is bound to a selected agent and network, and the list shows both', async () => {
    const bound = (await service.call('create_app', { name: 'Bound one' })) as { id: string }
    const reached = (page: Page) => page.getByRole('dialog')
    const fill = async (page: Page) => {
      const form = reached(page)
      await form.getByLabel('Name').fill('Bounded')
      await form.getByText('Selected workspaces and agents').click()
      expect(await form.getByRole('button', { name: 'Create Key' }).isDisabled()).toBe(true)
      await form.getByText('Bound one').click()
      await form.getByLabel('Allowed addresses').fill('127.0.0.1, ::1')
    }
    const page = await service.visit('/settings/developer?create=true')
    await fill(page)
    await reached(page).getByRole('button', { name: 'Create Key' }).click()
    const key =
      (await reached(page)
        .getByText(/^svc_sk_/)
        .textContent()) ?? ''
    expect(key).toMatch(/^svc_sk_[0-9A-Za-z]{49}$/)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await main(page).getByText('Agent: Bound one').first().waitFor()
    await main(page).getByText('2 allowed networks').waitFor()
    expect(await main(page).getByText('::1').isVisible()).toBe(false)
    await main(page).getByText('Details').first().press('Enter')
    for (const detail of ['127.0.0.1', '::1']) await main(page).getByText(detail).waitFor()
    const { items } = (await service.call('list_developer_keys')) as {
      items: { name: string; reach: unknown }[]
    }
    expect(items.find(({ name }) => name === 'Bounded')?.reach).toEqual({
      workspaces: [],
      agents: [{ id: bound.id, name: 'Bound one' }],
    })
    await expectSound(service, 'form-bound-key', '/settings/developer?create=true', fill)
  })

  test('unused keys, keys without a checksum and bound apps are marked', async () => {
    const { id } = (await service.call('create_developer_key', { name: 'Forgotten' })) as {
      id: string
    }
    const { ctx } = service
    const place = { has_checksum: 0, created_at: Date.parse('2025-06-01') }
    await ctx.db.write((tx) => tx.updateTable('api_keys').set(place).where('id', '=', id).execute())
    const page = await service.visit('/settings/developer')
    const unused = main(page).getByRole('list', { name: 'Unused keys and apps' })
    await unused.getByText('Forgotten').waitFor()
    expect(await unused.getByRole('listitem').count()).toBe(1)
    await main(page).getByText('No checksum').first().waitFor()
    await expectSound(service, 'settings-unused', '/settings/developer', (one) =>
      main(one).getByRole('list', { name: 'Unused keys and apps' }).waitFor(),
    )
    const app = (await service.call('create_app', { name: 'Reached' })) as { workspace_id: string }
    const { user_id: userId } = await ctx.db.read
      .selectFrom('api_keys')
      .select('user_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const person = { userId, workspaceId: app.workspace_id, name: '', email: '' }
    await grantFlow(service, person, { picked: { workspaces: [app.workspace_id] } })
    await expectSound(service, 'settings-bound-app', '/settings/connected-apps', (one) =>
      main(one)
        .getByText(/^Workspace: /)
        .first()
        .waitFor(),
    )
  })

  test('unused keys of all kinds and own apps are revoked from their list', async () => {
    const { ctx, ada } = service
    const admin = await service.account('Grace', 'admin')
    const { id: app_id } = (await service.call('create_app', { name: 'Shop' })) as { id: string }
    await service.call('create_chat_key', { app_id, name: 'Old chat' })
    await service.call('create_acp_key', { app_id, name: 'Old checkout' })
    await service.call('create_developer_key', { name: 'Old own' })
    const theirs = { ...admin, workspaceId: ada.workspaceId }
    await service.call('create_developer_key', { name: 'Old of Grace' }, theirs)
    await grantFlow(service, ada)
    await grantFlow(service, theirs)
    const created_at = Date.parse('2025-06-01')
    await ctx.db.write(async (tx) => {
      await tx.updateTable('api_keys').set({ created_at }).where('name', 'like', 'Old%').execute()
      // Not the bound grant of the test before.
      await tx
        .updateTable('oauth_grants')
        .set({ created_at })
        .where('reach_json', 'is', null)
        .execute()
    })
    const ready = (page: Page) => main(page).getByText('Old chat').waitFor()
    await expectSound(service, 'settings-unused-revoke', '/settings/developer', ready)
    await expectSound(service, 'dialog-revoke-unused', '/settings/developer', async (page) => {
      await main(page).getByRole('button', { name: 'Revoke Old chat' }).click()
      await page.getByRole('dialog', { name: 'Revoke Old chat?' }).waitFor()
    })

    const page = await service.visit('/settings/developer')
    const rows = main(page)
      .getByRole('list', { name: 'Unused keys and apps' })
      .getByRole('listitem')
    const ofGrace = rows.filter({ hasText: 'Connected app' }).filter({ hasText: admin.email })
    await ofGrace.waitFor()
    expect(await ofGrace.getByRole('button').count()).toBe(0)
    const names = ['Old chat', 'Old checkout', 'Old own', 'Old of Grace', 'Command-line MCP client']
    for (const name of names) {
      await rows.getByRole('button', { name: `Revoke ${name}` }).click()
      const dialog = page.getByRole('dialog', { name: `Revoke ${name}?` })
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await dialog.waitFor({ state: 'detached' })
      await rows.getByRole('button', { name: `Revoke ${name}` }).waitFor({ state: 'detached' })
    }
    const still = (table: 'api_keys' | 'oauth_grants') =>
      ctx.db.read
        .selectFrom(table)
        .select('user_id')
        .where('created_at', '=', created_at)
        .where('revoked_at', 'is', null)
        .execute()
    expect(await still('oauth_grants')).toEqual([{ user_id: admin.userId }])
    // The key of the test before.
    expect(await still('api_keys')).toHaveLength(1)
  })
})
