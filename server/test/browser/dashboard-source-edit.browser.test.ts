import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startSite } from '#test/support/servers/site-server.ts'

describeDashboard('editing a source', (open) => {
  let service: DashboardService
  let appId: string
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Clinic' })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}/knowledge`
  })

  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Edit', exact: true })
  const edit = (page: Page) => page.getByRole('button', { name: 'Edit', exact: true }).click()

  test('keeps what was typed after Escape and a reload, until it is saved or cancelled', async () => {
    const input = { app_id: appId, title: 'Hours', text: 'We open at nine.' }
    const { id } = await service.call('add_knowledge_source', input)
    const page = await service.visit(`${path}/${String(id)}`)
    const text = dialog(page).getByLabel('Text', { exact: true })
    const kept = dialog(page).getByText('You have unsaved changes from earlier')
    await edit(page)
    expect(await text.inputValue()).toBe('We open at nine.')
    expect(await kept.count()).toBe(0)
    await text.fill('We open at ten.')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await edit(page)
    await kept.waitFor()
    expect(await text.inputValue()).toBe('We open at ten.')
    await expectSoundLooks(page, 'dashboard-source-edit-kept')
    await page.reload()
    await kept.waitFor()
    expect(await text.inputValue()).toBe('We open at ten.')

    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await edit(page)
    expect(await text.inputValue()).toBe('We open at nine.')
    await text.fill('We open at eight.')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Hours was saved').waitFor()
    await runIngestion(service)
    await page.getByText('We open at eight.').waitFor()
    await edit(page)
    await dialog(page).waitFor()
    expect(await text.inputValue()).toBe('We open at eight.')
    expect(await kept.count()).toBe(0)
  })

  test('changes which pages of a site are read, and how often', async () => {
    const site = await startSite({
      '/': '<title>Home</title><main>Start <a href="/rates">a</a> <a href="/old/rates">b</a></main>',
      '/rates': '<title>Rates</title><main>A room costs ten euros.</main>',
      '/old/rates': '<title>Old rates</title><main>A room cost five euros.</main>',
    })
    const reaching = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    const agent = await reaching.call('create_app', { name: 'Hotel' })
    const crawl = { app_id: agent.id, kind: 'url', url: `${site.origin}/`, crawl_depth: 1 }
    const { id } = await reaching.call('add_knowledge_source', crawl)
    await runIngestion(reaching)
    const page = await reaching.visit(
      `/agents/${String(agent.app_name_id)}/knowledge/${String(id)}`,
    )
    const read = page.getByRole('list', { name: 'Documents' }).getByRole('listitem')
    await expect.poll(() => read.count()).toBe(3)
    await edit(page)
    await dialog(page).getByLabel('Exclude').fill('/old/*')
    await dialog(page).getByRole('combobox', { name: 'Read again' }).click()
    await page.getByRole('option', { name: 'Every week' }).click()
    await expectSoundLooks(page, 'dashboard-source-edit-site')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    const stored = await reaching.call('get_knowledge_source', { source_id: id })
    expect(stored).toMatchObject({ refresh_every: 'week', crawl: { exclude: ['/old/*'] } })
    await runIngestion(reaching)
    await expect.poll(() => read.count()).toBe(2)
    expect(await page.getByText('Old rates').count()).toBe(0)
    await edit(page)
    await dialog(page)
      .getByRole('combobox', { name: 'Read again' })
      .getByText('Every week')
      .waitFor()
    expect(await dialog(page).getByLabel('Exclude').inputValue()).toBe('/old/*')
    await site.stop()
  })
})
