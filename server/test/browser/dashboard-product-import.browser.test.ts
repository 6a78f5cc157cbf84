import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

describeDashboard('the import of products', (open) => {
  let service: DashboardService
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Tea shop' })
    path = `/agents/${String(agent.app_name_id)}/publish/catalog`
  })

  const main = (page: Page) => page.getByRole('main')
  const list = (page: Page, name: string) => main(page).getByRole('list', { name })

  test('a CSV of another shop is mapped, previewed and imported; its wrong line comes back as a file', async () => {
    const page = await service.visit(`${path}/products?import=true`)
    const form = page.getByRole('dialog')
    const choose = (csv: string) =>
      form.getByLabel('CSV file').setInputFiles({
        name: 'teas.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(csv),
      })
    const saved = async (name: string) => {
      const download = await page.waitForEvent('download')
      expect(download.suggestedFilename()).toBe(name)
      return await readFile(await download.path(), 'utf8')
    }
    const sample = saved('products.csv')
    await form.getByRole('button', { name: 'Download a sample' }).click()
    expect(await sample).toContain('9.90 EUR')
    await choose('Title,Nr,Price,Memo\nSencha,T-1,9.00 USD,x\nLid,T-3,free,x\nMatcha,T-2,"14,00",x')
    await form.getByText('line 3: price: "free" is not a price').waitFor()
    await form.getByText('3 new, 0 updated').waitFor({ state: 'detached' })
    await form.getByRole('combobox', { name: 'Nr' }).click()
    await page.getByRole('option', { name: 'SKU' }).click()
    await form.getByText('US$9.00').waitFor()
    const rejected = saved('rejected-products.csv')
    await form.getByRole('button', { name: 'Import 2 products' }).click()
    expect(await rejected).toMatch(/^Title,Nr,Price,Memo,import_problem\r\nLid,T-3,free,x,/)
    await page.getByText('Imported: 2 new, 0 updated').waitFor()
    await list(page, 'Products').getByText('Matcha').waitFor()
    await main(page).getByRole('searchbox').fill('sencha')
    await page.keyboard.press('Enter')
    await list(page, 'Products').getByText('Matcha').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('q')).toBe('sencha')
  })

  test('the preview of an import is that of the last mapping, also when an earlier one arrives later', async () => {
    const page = await service.visit(`${path}/products?import=true`)
    const form = page.getByRole('dialog')
    const late = Promise.withResolvers<null>()
    const isFirst = (text: string | null) => text?.includes('"First":"name"') === true
    await page.route('**/operations/preview_product_import', async (route) => {
      const response = await route.fetch()
      if (isFirst(route.request().postData())) await late.promise
      await route.fulfill({ response })
    })
    await form.getByLabel('CSV file').setInputFiles({
      name: 'pots.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('First,Second,Price\nOld pot,New pot,9.00 USD'),
    })
    const map = async (column: string, field: string) => {
      await form.getByRole('combobox', { name: column }).click()
      await page.getByRole('option', { name: field, exact: true }).click()
    }
    const arriving = page.waitForResponse((one) => isFirst(one.request().postData()))
    await map('First', 'Name')
    await map('First', 'Ignore')
    await map('Second', 'Name')
    const preview = form.getByRole('region', { name: 'Preview' })
    await preview.getByText('New pot').waitFor()
    late.resolve(null)
    await (await arriving).finished()
    for (const _ of [1, 2]) await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await preview.getByText('New pot').count()).toBe(1)
    expect(await preview.getByText('Old pot').count()).toBe(0)
  })
})
