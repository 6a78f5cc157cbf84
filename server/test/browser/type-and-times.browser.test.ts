import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

describeDashboard('pages that work without the dashboard', (open) => {
  let service: DashboardService
  let chatPage: string

  beforeAll(async () => {
    service = await open()
    const { id: app_id } = await service.call('create_app', { name: 'Shop' })
    const { url } = await service.call('update_chat_page', { app_id, enabled: true })
    chatPage = String(url)
  })

  test.each([
    ['sign-in', '/login'],
    ['set-up', '/setup'],
    ['the documentation', '/docs/sessions'],
    ['the chat page', ''],
  ])('%s is set in the bundled font, which its policy allows', async (_, path) => {
    const page = await service.page()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(path === '' ? chatPage : `${service.baseUrl}${path}`)
    const fonts = `[...document.fonts].map(({ family, status }) => family + ' ' + status)`
    await expect.poll(() => page.evaluate(fonts)).toEqual(['Inter Variable loaded'])
    expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toMatch(
      /^"?Inter Variable/,
    )
    expect(complaints.filter((one) => /font|polic/i.test(one))).toEqual([])
    await page.context().close()
  })

  test('the account page shows times in the reader’s zone', async () => {
    const page = await service.visit('/account', { timezoneId: 'America/New_York' })
    // 03:04 in UTC is 22:04 of the day before.
    await page.getByText(/signed in Jan 1, 2026, 10:04\sPM/).waitFor()
    await page.context().close()
  })

  test('a receipt shows when the order was placed in the reader’s zone, and in UTC without scripts', async () => {
    const { id: app_id } = await service.call('create_app', { name: 'Tea shop' })
    const tea = { name: 'Sencha', price_amount: 1290, description: 'Loose leaves, 100 g' }
    const { id: product_id } = await service.call('upsert_product', { app_id, ...tea })
    await service.call('place_test_order', { app_id, product_id })
    const orders = service.ctx.db.read.selectFrom('orders').where('agent_id', '=', String(app_id))
    const { receipt_key } = await orders.select('receipt_key').executeTakeFirstOrThrow()
    const receipt = `${service.baseUrl}/acp/${String(app_id)}/receipts/${receipt_key}`
    const page = await service.page({ timezoneId: 'America/New_York' })
    await page.goto(receipt)
    await page.getByText(/Placed Jan 1, 2026, 10:04\sPM\. Status/).waitFor()
    await page.context().close()
    const plain = await service.page({ javaScriptEnabled: false })
    await plain.goto(receipt)
    await plain.getByText('Placed 2026-01-02 03:04 UTC. Status').waitFor()
    await plain.context().close()
  })
})
