import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { verifies } from '#test/conformance/verifies.ts'
import { clientId } from '#test/support/identity/sign-in-service.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

describeDashboard('the settings of the dashboard', (open) => {
  let service: DashboardService

  beforeAll(async () => {
    service = await open()
    await service.call('create_app', { name: 'Support', description: 'Answers' })
  })

  const main = (page: Page) => page.getByRole('main')

  async function statusWith(key: string): Promise<number> {
    const response = await fetch(`${service.baseUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    return response.status
  }

  test('every page is sound in both themes, wide and at 360 px', async () => {
    await service.call('create_developer_key', { name: 'Nightly report' })
    await service.call('create_developer_key', {
      name: 'A key with a rather long name, as people who document things give it',
      scopes: ['apps:read', 'analytics:read'],
      expires_in: '1y',
    })
    for (const part of [
      'audit',
      'jobs',
      'workspace',
      'members',
      'developer',
      'connected-apps',
      'providers',
      'billing',
    ])
      await expectSound(service, `settings-${part}`, `/settings/${part}`)
  })

  test('the forms are sound too', async () => {
    const forms = {
      'create-key': '/settings/developer?create=true',
      invite: '/settings/members?invite=true',
      provider: '/settings/providers?edit=openai',
    }
    for (const [name, path] of Object.entries(forms))
      await expectSound(service, `form-${name}`, path, (page) => page.getByRole('dialog').waitFor())
  })

  describe('Developer, API Keys', () => {
    verifies(['auth.key.place', 'auth.key.form', 'auth.key.delete'], async () => {
      const permissions = ['clipboard-read', 'clipboard-write']
      const page = await service.visit('/settings/developer', { permissions })
      await main(page).getByRole('heading', { name: 'API Keys' }).waitFor()
      await main(page).getByRole('button', { name: 'Create Key' }).first().click()
      const form = page.getByRole('dialog')
      await form.getByRole('button', { name: 'Create Key' }).click()
      expect(await page.evaluate("document.activeElement.matches('input:invalid')")).toBe(true)
      await form.getByLabel('Name').fill('Pipeline')
      expect(await form.getByRole('radio', { name: /Full access/ }).isChecked()).toBe(true)
      const expiration = form.getByRole('combobox', { name: 'Expiration' })
      expect(await expiration.textContent()).toBe('Never')
      await expiration.click()
      const choices = page.getByRole('option')
      await choices.first().waitFor()
      expect(await choices.allTextContents()).toEqual(['30 days', '90 days', '1 year', 'Never'])
      await page.getByRole('option', { name: '90 days' }).click()
      await form.getByRole('button', { name: 'Create Key' }).click()
      const key =
        (await page
          .getByRole('dialog')
          .getByText(/^svc_sk_/)
          .textContent()) ?? ''
      await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('dialog').getByText('Copied', { exact: true }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
      expect(await statusWith(key)).toBe(200)
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await main(page).getByText('Pipeline', { exact: true }).waitFor()
      expect(await page.content()).not.toContain(key)
      await page.reload()
      await main(page).getByText('Pipeline', { exact: true }).waitFor()
      expect(await page.content()).not.toContain(key)
      await main(page).getByRole('button', { name: 'Delete Pipeline' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await main(page).getByText('Pipeline', { exact: true }).waitFor({ state: 'detached' })
      expect(await statusWith(key)).toBe(401)
    })

    test('a key has the selected scopes, and its draft survives a reload', async () => {
      const page = await service.visit('/settings/developer?create=true')
      const form = page.getByRole('dialog')
      await form.getByLabel('Name').fill('Reader')
      await form.getByText('Selected scopes').click()
      expect(await form.getByRole('button', { name: 'Create Key' }).isDisabled()).toBe(true)
      await form.getByText('apps:read').click()
      await page.reload()
      await form.getByRole('button', { name: 'Create Key' }).click()
      await form.getByText(/^svc_sk_/).waitFor()
      const { items } = (await service.call('list_developer_keys')) as {
        items: { name: string; scopes: string[] }[]
      }
      const made = items.find(({ name }) => name === 'Reader')
      expect(made?.scopes).toEqual(['apps:read'])
    })
  })

  test('the audit log is filtered by its URL, expanded, and exported as shown', async () => {
    const { id: app_id } = await service.call('create_app', { name: 'Logged' })
    await service.call('create_chat_key', { app_id, name: 'Website' })
    const keys = await service.visit('/settings/audit?action=create_chat_key')
    await main(keys).getByText('Create chat key').first().click()
    // The values name the agent and the person instead of their ids, with links.
    const values = main(keys).locator('pre')
    await values.getByRole('link', { name: 'Agent “Logged”' }).waitFor()
    await values.getByRole('link', { name: 'Member “Ada”' }).waitFor()
    expect(await values.textContent()).not.toContain(String(app_id))
    const page = await service.visit('/settings/audit?action=create_app')
    const list = main(page).getByRole('list', { name: 'Events' })
    await list.getByText('Create agent').first().waitFor()
    expect(await list.getByText('Create developer key').count()).toBe(0)
    await list.getByText('Create agent').first().click()
    await list.getByText('name: "Logged"').waitFor()
    await list.getByRole('link', { name: 'Agent “Logged”' }).first().waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      main(page).getByRole('link', { name: 'Export' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('audit-log.csv')
    await main(page).getByLabel('Outcome').click()
    await page.getByRole('option', { name: 'Refused', exact: true }).click()
    await main(page).getByText('No matching events').waitFor()
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('refused')
  })

  test('jobs are listed live, filtered by the status in the URL', async () => {
    const { id: app_id } = await service.call('create_app', { name: 'Reader' })
    const address = 'https://docs.example.com/'
    const source = { app_id, kind: 'url', url: address }
    const { id } = await service.call('add_knowledge_source', source)
    const page = await service.visit('/settings/jobs')
    const job = main(page)
      .getByRole('listitem')
      .filter({ hasText: 'Source “https://docs.example.com/”' })
    await job.getByText('Reading a source').waitFor()
    await job.getByText('Waiting', { exact: true }).waitFor()
    // No job runs here, so the test writes the row of a failed job.
    const ended = { status: 'failed', attempts: 10, last_error: 'no route to host' } as const
    const { db, clock } = service.ctx
    await db.write((tx) =>
      tx
        .updateTable('jobs')
        .set({ ...ended, finished_at: clock.now() })
        .where('kind', '=', 'knowledge.ingest')
        .where('workspace_id', '=', service.ada.workspaceId)
        .execute(),
    )
    await job.getByText('Failed after 10 attempts').waitFor()
    const link = await job.getByRole('link', { name: /^Source/ }).getAttribute('href')
    expect(link).toContain(`/knowledge/${String(id)}`)
    await job.getByText('no route to host').waitFor()
    await main(page).getByLabel('Status').click()
    await page.getByRole('option', { name: 'Done', exact: true }).click()
    await main(page).getByText('No matching jobs').waitFor()
    expect(new URL(page.url()).searchParams.get('status')).toBe('done')
  })

  test('a viewer sees no control that they may not use', async () => {
    const vera = await service.account('Vera', 'viewer')
    const visit = (path: string) =>
      service.visit(`${path}?workspace=${service.ada.workspaceId}`, { as: vera })
    const members = await visit('/settings/members')
    await main(members).getByText(service.ada.email).waitFor()
    expect(await members.getByRole('button', { name: 'Invite' }).count()).toBe(0)
    expect(await main(members).getByRole('combobox').count()).toBe(0)
    const providers = await visit('/settings/providers')
    await main(providers).getByText('OpenAI', { exact: true }).waitFor()
    expect(await main(providers).getByRole('button').count()).toBe(0)
    const agents = await visit('/agents')
    await main(agents).getByText('Support', { exact: true }).waitFor()
    expect(await agents.getByRole('link', { name: 'New agent' }).count()).toBe(0)
  })

  test('a connected app is listed, and loses access immediately when it is disconnected', async () => {
    const page = await service.visit('/agents')
    const pkce = await service.beginAt(page)
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.waitForURL((url) => url.href.startsWith(service.redirectUri))
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const answer = await fetch(`${service.baseUrl}/mcp/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(redemptionBody(code, pkce.verifier)),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    expect(await statusWith(token)).toBe(200)
    await expectSound(service, 'settings-connected-app', '/settings/connected-apps')
    const apps = await service.visit('/settings/connected-apps')
    await main(apps)
      .getByRole('button', { name: /^Disconnect/ })
      .click()
    await apps.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await main(apps).getByText('No connected apps').waitFor()
    expect(await statusWith(token)).toBe(401)
  })

  function redemptionBody(code: string, verifier: string) {
    return {
      grant_type: 'authorization_code',
      code,
      redirect_uri: service.redirectUri,
      client_id: clientId,
      code_verifier: verifier,
    }
  }

  test('a cap is set and removed, and the removal is undone', async () => {
    const page = await service.visit('/settings/billing')
    await main(page).getByRole('button', { name: 'Set cap' }).click()
    await page.getByRole('dialog').getByLabel('Credits').fill('50')
    await page.getByRole('dialog').getByRole('button', { name: 'Set cap' }).click()
    await main(page).getByText('50 per month').waitFor()
    await main(page).getByRole('button', { name: 'Remove cap' }).click()
    await main(page).getByText('No cap is set.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await main(page).getByText('50 per month').waitFor()
  })

  test("a cap on a chat key is chosen and listed by the key's name", async () => {
    const agent = await service.call('create_app', { name: 'Costly' })
    await service.call('create_chat_key', { app_id: agent.id, name: 'Shop window' })
    const page = await service.visit('/settings/billing')
    await main(page).getByRole('button', { name: 'Set cap' }).click()
    const form = page.getByRole('dialog')
    await form.getByRole('combobox', { name: 'Applies to' }).click()
    await page.getByRole('option', { name: 'One chat key' }).click()
    await form.getByRole('combobox', { name: 'Agent' }).click()
    await page.getByRole('option', { name: 'Support' }).click()
    await form.getByText('This agent has no chat key.').waitFor()
    expect(await form.getByRole('button', { name: 'Set cap' }).isDisabled()).toBe(true)
    await form.getByRole('combobox', { name: 'Agent' }).click()
    await page.getByRole('option', { name: 'Costly' }).click()
    await form.getByRole('combobox', { name: 'Chat key' }).getByText('Shop window').waitFor()
    await form.getByLabel('Credits').fill('7')
    await form.getByRole('button', { name: 'Set cap' }).click()
    const list = main(page).getByRole('list', { name: 'Credit caps' })
    await list.getByText('Costly, Shop window').waitFor()
    const { items } = (await service.call('list_credit_caps')) as { items: object[] }
    expect(items).toContainEqual(
      expect.objectContaining({ subject: 'key', period: 'month', credits: 7 }),
    )
  })
})
