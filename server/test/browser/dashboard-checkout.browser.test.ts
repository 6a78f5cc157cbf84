import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

describeDashboard('the checkout of an agent', (open) => {
  let service: DashboardService
  let appId: string
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Tea shop' })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}/publish/catalog`
    await service.call('upsert_product', { app_id: appId, name: 'Teapot', price_amount: 1250 })
  })

  const main = (page: Page) => page.getByRole('main')

  test('a test order is placed with one click, and opened', async () => {
    const page = await service.visit(`${path}/orders`)
    await main(page).getByRole('button', { name: 'Place a test order' }).click()
    const order = page.getByRole('dialog')
    await order.getByText('test-buyer@example.com').waitFor()
    await order.getByText('No money was charged.').waitFor()
    await expectSoundLooks(page, 'dashboard-publish-test-order')
  })

  test('shipping, pickup, tax, discount codes and links are changed in one form, which keeps settings that it does not show', async () => {
    await service.call('update_commerce_settings', {
      app_id: appId,
      discount_codes: [{ code: 'TEA10', name: 'Ten off', percent_off: 10 }],
    })
    const page = await service.visit(`${path}/checkout`)
    // As over plain http: browsers offer it on https and localhost only.
    await page.addInitScript('delete Crypto.prototype.randomUUID')
    await page.reload()
    await main(page).getByRole('button', { name: 'Add shipping option' }).click()
    await main(page).getByLabel('Name').nth(1).fill('Express')
    await main(page).getByLabel('Price in USD').nth(1).fill('9.90')
    await main(page).getByLabel('Countries').nth(1).fill('DE, AT')
    await main(page).getByRole('button', { name: 'Add tax rate' }).click()
    await main(page).getByLabel('Name').nth(2).fill('VAT')
    await main(page).getByLabel('Percent').fill('19')
    await main(page).getByLabel('Terms').fill('https://shop.example.com/terms')
    await main(page).getByRole('button', { name: 'Add pickup location' }).click()
    await main(page).getByLabel('Location').fill('Shop')
    await main(page).getByLabel('Street and number').fill('Way 1')
    await main(page).getByLabel('City').fill('Ulm')
    await main(page).getByLabel('Country code').fill('de')
    await main(page).getByRole('button', { name: 'Add discount code' }).click()
    await main(page).getByLabel('Code', { exact: true }).nth(1).fill('FIVE')
    await main(page).getByLabel('Shown as').nth(1).fill('Five percent')
    await main(page).getByLabel('Discount', { exact: true }).nth(1).fill('5')
    await main(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Checkout settings were saved').waitFor()
    expect(await service.call('get_commerce_settings', { app_id: appId })).toMatchObject({
      shipping_options: [{}, { title: 'Express', price_amount: 990, countries: ['DE', 'AT'] }],
      tax: { rates: [{ name: 'VAT', percent: 19 }] },
      links: { terms: 'https://shop.example.com/terms' },
      discount_codes: [
        { code: 'TEA10', percent_off: 10 },
        { code: 'FIVE', percent_off: 5 },
      ],
      pickup_locations: [{ title: 'Shop', address: { city: 'Ulm', country: 'DE' } }],
    })
  })

  test('a draft that began before someone changed the settings is not saved over them', async () => {
    const page = await service.visit(`${path}/checkout`)
    const codes = main(page).getByLabel('Code', { exact: true })
    const saved = async () =>
      (await service.call('get_commerce_settings', { app_id: appId })).discount_codes
    await main(page).getByLabel('Privacy').fill('https://shop.example.com/privacy')
    const theirs = [{ code: 'THEIRS', name: 'Theirs', percent_off: 20 }]
    await service.call('update_commerce_settings', { app_id: appId, discount_codes: theirs })
    await main(page).getByRole('button', { name: 'Save' }).click()
    await main(page).getByText('The checkout settings changed since you began').waitFor()
    expect(await saved()).toMatchObject(theirs)
    // The draft remembers what it began with across a reload.
    await page.reload()
    await main(page).getByText('The checkout settings changed since you began').waitFor()
    expect(await main(page).getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await expectSoundLooks(page, 'dashboard-publish-outdated')
    await main(page).getByRole('button', { name: 'Load present settings' }).click()
    await expect.poll(() => codes.count()).toBe(1)
    expect(await codes.inputValue()).toBe('THEIRS')
    await main(page).getByLabel('Privacy').fill('https://shop.example.com/privacy')
    await main(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Checkout settings were saved').waitFor()
    expect(await saved()).toMatchObject(theirs)
  })

  test('its forms are sound in both themes, wide and at 360 px', async () => {
    await expectSound(service, 'publish-checkout', `${path}/checkout`, (page) =>
      main(page).getByLabel('Location').waitFor(),
    )
    await expectSound(service, 'publish-test-orders', `${path}/orders`, (page) =>
      main(page).getByText('test-buyer@example.com').waitFor(),
    )
  })
})
