import { beforeAll, expect, test } from 'vitest'
import { verifies } from '#test/conformance/verifies.ts'
import { runCurl, runScript } from '#test/support/copied-examples.ts'
import { describeDashboard, expectSound, type DashboardService } from '#test/support/dashboard.ts'

describeDashboard('the Share tab of an agent', (open) => {
  let service: DashboardService
  let path: string
  let appId: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: "Ada's shop" })
    appId = String(agent.id)
    await service.call('create_chat_key', { app_id: appId, name: 'Website' })
    path = `/agents/${String(agent.app_name_id)}/share`
  })

  test('is sound in both themes, wide and at 360 px, with and without its form', async () => {
    await expectSound(service, 'share', path)
    await expectSound(service, 'share-form', `${path}?create=true`, (page) =>
      page.getByRole('dialog').waitFor(),
    )
  })

  verifies('chat.auth.share-tab', async () => {
    const page = await service.visit(path)
    await page.getByRole('main').getByRole('button', { name: 'Create chat key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Terminal')
    await dialog.getByRole('button', { name: 'Create chat key' }).click()
    const curl =
      (await dialog.getByRole('region', { name: 'Example for curl' }).textContent()) ?? ''
    expect(curl).toMatch(/^curl '/)
    expect(await runCurl(curl)).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant' }, finish_reason: 'stop' }],
    })
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('main').getByText('Terminal').waitFor()
    const key = /svc_ck_\w+/.exec(curl)?.[0] ?? ''
    expect(await page.content()).not.toContain(key)

    await page.getByRole('button', { name: 'Revoke Terminal' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('main').getByText('Terminal').waitFor({ state: 'detached' })
    expect(await runCurl(curl)).toEqual({ error: 'Invalid API key' })
  })

  test('the JavaScript example runs unchanged', async () => {
    const { key } = await service.call('create_chat_key', { app_id: appId, name: 'Script' })
    const page = await service.visit(path)
    await page.getByRole('group', { name: 'Language' }).getByText('JavaScript').click()
    const code = await page.getByRole('region', { name: 'Example for JavaScript' }).textContent()
    expect(code).toContain('YOUR_KEY')
    const said = await runScript((code ?? '').replace('YOUR_KEY', String(key)))
    expect(said).not.toBe('')
  })

  test('shows a viewer the base URL but no key', async () => {
    const viewer = await service.account('Vera', 'viewer')
    const page = await service.visit(`${path}?workspace=${service.ada.workspaceId}`, { as: viewer })
    await page.getByText('Only editors of this workspace can see its keys.').waitFor()
    expect(await page.getByText('Website').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Create chat key' }).count()).toBe(0)
  })
})
