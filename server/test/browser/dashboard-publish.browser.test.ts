import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { verifies } from '#test/conformance/verifies.ts'
import { buyProduct } from '#test/support/copied-examples.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

describeDashboard('the Publish tab of an agent', (open) => {
  let service: DashboardService
  let appId: string
  let appNameId: string
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Tea shop' })
    appId = String(agent.id)
    appNameId = String(agent.app_name_id)
    path = `/agents/${appNameId}/publish/catalog`
  })

  const main = (page: Page) => page.getByRole('main')
  const list = (page: Page, name: string) => main(page).getByRole('list', { name })

  const buy = (key: string, productId: string) =>
    buyProduct(`${service.baseUrl}/acp/${appNameId}`, key, productId)

  test('names the next step while there are no products, and says that payments are in test mode', async () => {
    await expectSound(service, 'publish-empty', `${path}/products`, (page) =>
      page.getByText('No products yet').waitFor(),
    )
    const page = await service.visit(`/agents/${appNameId}/publish`)
    await main(page).getByText('Payments are in test mode').waitFor()
    expect(new URL(page.url()).pathname).toBe(`${path}/products`)
  })

  test('a product is created, changed, found, and deleted with an undo', async () => {
    const page = await service.visit(`${path}/products`)
    await main(page).getByRole('button', { name: 'New product' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('Teapot')
    await form.getByLabel('Price in USD').fill('12.505')
    await form.getByLabel('In stock').fill('5')
    await form.getByRole('combobox', { name: 'Delivery' }).click()
    await page.getByRole('option', { name: 'Digital' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Enter an amount such as 12.50.').waitFor()
    await form.getByLabel('Price in USD').fill('12.50')
    await form.getByRole('button', { name: 'Save' }).click()
    const row = list(page, 'Products').getByRole('listitem').filter({ hasText: 'Teapot' })
    await row.getByText('US$12.50').waitFor()
    await row.getByText('5 in stock').waitFor()

    await page.getByRole('button', { name: 'Edit Teapot' }).click()
    expect(new URL(page.url()).searchParams.get('edit')).toMatch(/^[\da-f-]{36}$/)
    await form.getByLabel('Price in USD').fill('15')
    await form.getByRole('button', { name: 'Save' }).click()
    await row.getByText('US$15.00').waitFor()

    await page.getByRole('button', { name: 'Delete Teapot' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()
  })

  test('a delete can be undone on another page, and is sent when the tab is closed', async () => {
    for (const [name, price_amount] of [
      ['Sencha', 900],
      ['Matcha', 1400],
    ])
      await service.call('upsert_product', { app_id: appId, name, price_amount })
    const names = async () => {
      const { items } = (await service.call('list_products', { app_id: appId })) as {
        items: { name: string }[]
      }
      return items.map(({ name }) => name)
    }
    const page = await service.visit(`${path}/products`)
    const row = list(page, 'Products').getByRole('listitem').filter({ hasText: 'Sencha' })
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete Sencha' }).click()
      await row.waitFor({ state: 'detached' })
    }
    await remove()
    await main(page).getByRole('link', { name: 'Orders' }).click()
    await main(page).getByText('No orders yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await main(page).getByRole('link', { name: 'Products' }).click()
    await row.waitFor()
    expect(await names()).toContain('Sencha')
    await remove()
    await page.close({ runBeforeUnload: true })
    await expect.poll(names, { timeout: 5000 }).not.toContain('Sencha')
  })

  describe('API Keys', () => {
    verifies('acp.auth.key-place', async () => {
      const page = await service.visit(`/agents/${appNameId}/build`)
      await page.getByRole('link', { name: 'Publish' }).click()
      await main(page).getByRole('heading', { name: 'Catalog' }).waitFor()
      await main(page).getByRole('link', { name: 'API Keys' }).click()
      await main(page).getByRole('heading', { name: 'API Keys' }).waitFor()
      await main(page).getByRole('button', { name: 'Create API Key' }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Name').fill('Shopping assistant')
      await form.getByRole('button', { name: 'Create API Key' }).click()
      const key = (await form.getByText(/^acp_/).textContent()) ?? ''
      expect(key).toMatch(/^acp_[\w-]{32}$/)
      await form.getByRole('button', { name: 'I have copied it' }).click()
      expect(await page.content()).not.toContain(key)

      const { items } = (await service.call('list_products', { app_id: appId, q: 'teapot' })) as {
        items: { id: string }[]
      }
      expect(await buy(key, items[0]?.id ?? '')).toMatchObject({ status: 'completed' })

      await page.getByRole('button', { name: 'Revoke Shopping assistant' }).click()
      await form.getByRole('button', { name: 'Revoke' }).click()
      await list(page, 'API Keys').waitFor({ state: 'detached' })
      expect(await buy(key, items[0]?.id ?? '')).toMatchObject({
        error: { code: 'unauthorized', message: 'Invalid API key' },
      })
    })
  })

  test("a shopping agent's order is a test order, and is fulfilled and refunded", async () => {
    const page = await service.visit(`${path}/orders`)
    const row = list(page, 'Orders').getByRole('button').filter({ hasText: 'bea@example.com' })
    await row.getByText('Test order').waitFor()
    await row.click()
    const order = page.getByRole('dialog')
    await order.getByText('No money was charged.').waitFor()
    // The dialog itself has the focus: Enter must not cancel anything.
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('dialog')
    await order.getByText('Teapot').waitFor()
    if (await order.getByRole('button', { name: 'Fulfill' }).isVisible()) {
      await order.getByRole('button', { name: 'Fulfill' }).click()
      await order.getByRole('button', { name: 'Fulfill' }).click()
      await order.getByText('Completed').waitFor()
    }
    await order.getByRole('button', { name: 'Refund' }).click()
    await order.getByLabel('Amount in USD').fill('5')
    await order.getByLabel('Reason').fill('Broken spout')
    await order.getByRole('button', { name: 'Refund' }).click()
    await order.getByText('US$5.00').waitFor()
    await page.keyboard.press('Escape')
    await row.getByText('US$5.00 refunded').waitFor()
    await main(page).getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Canceled' }).click()
    await main(page).getByText('No orders with this status').waitFor()
  })

  test('the remaining payment of a canceled order can be refunded', async () => {
    // As after a cancellation whose refund failed because the stock was sold to someone else.
    const page = await service.visit(`${path}/orders`)
    await page.route('**/operations/get_order', async (route) => {
      const answer = await route.fetch()
      const order = (await answer.json()) as object
      await route.fulfill({ response: answer, json: { ...order, status: 'canceled' } })
    })
    await list(page, 'Orders').getByRole('button').first().click()
    const order = page.getByRole('dialog')
    await order.getByText('Canceled').waitFor()
    await order.getByRole('button', { name: 'Refund' }).waitFor()
    expect(await order.getByRole('button', { name: /Fulfill|Cancel order/ }).count()).toBe(0)
  })

  test('an endpoint receives orders, and its secret is shown once', async () => {
    const page = await service.visit(`${path}/webhooks`)
    await main(page).getByRole('button', { name: 'Add endpoint' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('URL').fill('https://shop.example.com/hooks')
    await page.reload()
    await form.getByRole('button', { name: 'Add endpoint' }).click()
    const secret = (await form.getByText(/^\w*whsec\w*|^[\w-]{24,}$/).textContent()) ?? ''
    await form.getByRole('button', { name: 'I have copied it' }).click()
    await list(page, 'Endpoints').getByText('https://shop.example.com/hooks').waitFor()
    expect(secret.length).toBeGreaterThan(20)
    expect(await page.content()).not.toContain(secret)
  })

  test('a delivery names its endpoint and links to its order', async () => {
    const first = async (name: string) => {
      const { items } = (await service.call(name, { app_id: appId })) as { items: { id: string }[] }
      return items[0]?.id ?? ''
    }
    const [order, endpoint] = [await first('list_orders'), await first('list_webhook_endpoints')]
    const at = new Date().toISOString()
    const delivery = {
      id: order,
      endpoint_id: endpoint,
      order_id: order,
      event_type: 'order_create',
      status: 'delivered',
      attempts: 1,
      response_status: 200,
      error: null,
      next_attempt_at: null,
      created_at: at,
      delivered_at: at,
    }
    const page = await service.visit(`${path}/orders`)
    await page.route('**/operations/list_webhook_deliveries', (route) =>
      route.fulfill({ json: { items: [delivery], next_cursor: null } }),
    )
    await main(page).getByRole('link', { name: 'Webhooks' }).click()
    const row = list(page, 'Deliveries').getByRole('listitem')
    await row.getByText('https://shop.example.com/hooks').waitFor()
    await row.getByRole('link', { name: 'Order created' }).click()
    await page.getByRole('dialog').getByText('Teapot').waitFor()
    expect(new URL(page.url()).searchParams.get('order')).toBe(order)
  })

  test('every section is sound in both themes, wide and at 360 px', async () => {
    await service.call('create_acp_key', { app_id: appId, name: 'Assistant' })
    const parts = {
      products: '/products',
      product: '/products?edit=new',
      import: '/products?import=true',
      orders: '/orders',
      webhooks: '/webhooks',
      keys: '/keys',
    }
    for (const [name, part] of Object.entries(parts))
      await expectSound(service, `publish-${name}`, path + part, async (page) => {
        await page.getByRole('status').first().waitFor({ state: 'detached' })
        if (name !== 'import') return
        const csv = Buffer.from('Title,Nr,Price\nSencha,T-1,9.90 EUR\nLid,T-3,1.299')
        await page
          .getByLabel('CSV file')
          .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: csv })
        await page.getByText('line 3').waitFor()
      })
  })

  test('a viewer sees products and orders, but no keys and no way to change anything', async () => {
    const viewer = await service.account('Vera', 'viewer')
    const where = `?workspace=${service.ada.workspaceId}`
    const page = await service.visit(`${path}/products${where}`, { as: viewer })
    await list(page, 'Products').getByText('Matcha').waitFor()
    for (const name of ['New product', 'Import CSV', 'Edit Matcha', 'Delete Matcha'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await main(page).getByRole('link', { name: 'API Keys' }).click()
    await main(page).getByText('Only editors of this workspace can see its keys.').waitFor()
    expect(await page.getByText('Assistant').count()).toBe(0)
    await main(page).getByRole('link', { name: 'Orders' }).click()
    await list(page, 'Orders').getByRole('button').first().click()
    await page.getByRole('dialog').getByText('Teapot').waitFor()
    for (const name of ['Fulfill', 'Refund', 'Cancel order'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  })
})
