import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

const starts = join(import.meta.dirname, '../../../dashboard/starts')

describeDashboard('an imported or exported agent', (open) => {
  let service: DashboardService
  let document: string

  beforeAll(async () => {
    service = await open()
    const { id } = await service.call('create_app', { name: 'Traveller' })
    const secret = { type: 'secret', value: 'very-secret-value', hosts: ['a.example'] }
    await service.call('set_app_variable', { app_id: id, name: 'SHOP_TOKEN', ...secret })
    const { document: exported } = await service.call('export_app', { app_id: id })
    // It was exported where a provider exists that does not exist here.
    document = JSON.stringify(exported).replace('local/extractive', 'elsewhere/large')
  })

  const file = (text: string) => ({
    name: 'agent.json',
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  })

  test('lists what it still needs, each with a link', async () => {
    const page = await service.visit('/agents?import=true')
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[type=file]').setInputFiles(file(document))
    await dialog.getByRole('link', { name: 'Set up the provider for elsewhere/large' }).waitFor()
    await dialog.getByRole('link', { name: 'Set the variable SHOP_TOKEN' }).click()
    await page.getByRole('dialog').getByLabel('Value').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/agents\/traveller-\d+\/build\/variables$/)
  })

  test('leads to the form for the site that it answers from', async () => {
    const start = await readFile(join(starts, 'documentation.json'), 'utf8')
    const page = await service.visit('/agents?import=true')
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[type=file]').setInputFiles(file(start))
    await dialog.getByRole('link', { name: 'Read my site' }).click()
    await page.getByRole('dialog', { name: 'Add web pages' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/agents\/documentation-guide-\d+\/knowledge$/)
  })

  test('is created from a dropped file, and an invalid file is reported', async () => {
    const page = await service.visit('/agents?import=true')
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[type=file]').setInputFiles(file('not JSON'))
    await dialog.getByText('This is not a JSON file.').waitFor()
    await dialog
      .locator('input[type=file]')
      .setInputFiles(file('{"format":"parley.agent","version":1,"agent":{}}'))
    await dialog.getByText(/agent\.name/).waitFor()
    const dropped = await page.evaluateHandle(
      `(() => { const all = new DataTransfer(); all.items.add(new File([${JSON.stringify(document)}], 'agent.json')); return all })()`,
    )
    await dialog
      .getByText('Drop the exported file here')
      .dispatchEvent('drop', { dataTransfer: dropped })
    await dialog.getByText('Set the variable SHOP_TOKEN').waitFor()
  })

  test('has sound dialogs in both themes, wide and at 360 px', async () => {
    await expectSound(service, 'agent-import', '/agents?import=true', (page) =>
      page.getByRole('dialog').waitFor(),
    )
    await expectSound(service, 'agent-imported', '/agents?import=true', async (page) => {
      await page.getByRole('dialog').locator('input[type=file]').setInputFiles(file(document))
      await page.getByText('Set the variable SHOP_TOKEN').waitFor()
    })
    await expectSound(service, 'agent-delete', '/agents/traveller-10001/build', async (page) => {
      await page.getByRole('button', { name: 'More options for Traveller' }).click()
      await page.getByRole('menuitem', { name: 'Delete agent' }).click()
      await page.getByLabel('Type Traveller to confirm').waitFor()
    })
  })
})
