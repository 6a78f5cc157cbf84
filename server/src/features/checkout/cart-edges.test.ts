import { beforeEach, expect, test } from 'vitest'
import { deleteProduct, type ProductPatch } from '#features/catalog/index.ts'
import type { FlakyPayments } from '#test/support/commerce/flaky-payments.ts'
import {
  address,
  amountOf,
  buyer,
  describeShop,
  sessionOf,
  type Shop,
} from '#test/support/commerce/shop.ts'
import { openTestCheckout, pay, type TestCheckout } from '#test/support/commerce/test-checkout.ts'
import { checkoutJobs } from './index.ts'

describeShop('a cart whose instance moves', (open) => {
  let checkout: TestCheckout
  let shop: Shop
  let payments: FlakyPayments

  beforeEach(async () => {
    checkout = await openTestCheckout(open)
    ;({ shop, payments } = checkout)
  })

  const change = (productId: string, fields: ProductPatch) =>
    shop.product({ ...({ productId } as object), ...fields })

  test('the same product twice is checked and taken from stock once', async () => {
    const { id } = await shop.product({ stock: 3 })
    const line = (quantity: number) => ({ product_id: id, quantity })
    const create = (...quantities: number[]) =>
      sessionOf(shop.post('/checkout_sessions', { line_items: quantities.map(line), buyer }))
    const tooMany = await create(2, 2)
    expect(tooMany).toMatchObject({
      status: 'not_ready_for_payment',
      line_items: [{ quantity: 4 }],
      messages: [{ code: 'quantity_exceeded', param: '$.line_items[0]' }],
    })
    const fits = await create(1, 2)
    expect(amountOf(fits.totals, 'total')).toBe(3750)
    const paid = await sessionOf(checkout.complete(fits.id))
    expect(paid).toMatchObject({ status: 'completed', order: { line_items: [{ id: `li_${id}` }] } })
    expect(await checkout.stockOf(id)).toBe(0)
  })

  test.each<[string, string, (productId: string) => Promise<unknown>]>([
    ['taken off sale', 'not_found', (id) => change(id, { active: false })],
    ['deleted', 'not_found', (id) => deleteProduct(shop.ctx, shop.owner.workspaceId, id)],
    ['sold out', 'out_of_stock', (id) => change(id, { stock: 0 })],
    ['sold in another currency', 'conflict', (id) => change(id, { currency: 'eur' })],
    ['shipped from now on', 'missing', (id) => change(id, { fulfillment_type: 'shipping' })],
  ])(
    'a product that is %s before it is paid: %s is reported, nothing is charged or taken',
    async (_, code, move) => {
      const { id, productId } = await checkout.ready({ stock: 10 })
      await move(productId)
      const asked = await sessionOf(checkout.complete(id))
      expect(asked).toMatchObject({
        status: 'not_ready_for_payment',
        messages: [{ type: 'error', code }],
      })
      expect([payments.asks, await checkout.orders()]).toEqual([0, []])
      const again = await sessionOf(checkout.complete(id))
      expect(again.status).toBe('not_ready_for_payment')
      expect(payments.asks).toBe(0)
    },
  )

  test('a product that is taken off sale during the provider call is still bought', async () => {
    const { id, productId } = await checkout.ready({ stock: 5 })
    payments.loseAnswers(1)
    expect((await checkout.complete(id)).status).toBe(503)
    await deleteProduct(shop.ctx, shop.owner.workspaceId, productId)
    shop.advance(60_000)
    await shop.work()
    expect(await checkout.session(id)).toMatchObject({
      status: 'completed',
      line_items: [{ name: 'Teapot', unit_amount: 1250 }],
      order: { line_items: [{ title: 'Teapot' }] },
    })
  })

  test('a lower price is shown before it is paid, just like a higher one', async () => {
    const { id, productId } = await checkout.ready({ price_amount: 1000 })
    await change(productId, { price_amount: 900 })
    const shown = await sessionOf(checkout.complete(id))
    expect([shown.status, amountOf(shown.totals, 'total')]).toEqual(['ready_for_payment', 900])
    const paid = await sessionOf(checkout.complete(id))
    expect([paid.status, amountOf(paid.totals, 'total'), payments.asks]).toEqual([
      'completed',
      900,
      1,
    ])
  })

  test('a discount of 100 % needs no provider, and the order has nothing to refund', async () => {
    await shop.settings({
      discount_codes: [
        { code: 'GIFT', name: 'Gift', percent_off: 100, minimum_amount: 0, combinable: true },
      ],
    })
    const { id, productId } = await checkout.ready({ stock: 2 })
    const discounts = { codes: ['gift'] }
    const free = await sessionOf(shop.post(`/checkout_sessions/${id}`, { discounts }))
    expect(amountOf(free.totals, 'total')).toBe(0)
    const paid = await sessionOf(checkout.complete(id, pay('spt_decline')))
    expect([paid.status, payments.asks, await checkout.stockOf(productId)]).toEqual([
      'completed',
      0,
      1,
    ])
  })

  test('yen are whole units: prices, tax and charges', async () => {
    await shop.settings({
      currency: 'jpy',
      tax: {
        rates: [{ name: 'Tax', percent: 8 }],
        prices_include_tax: false,
        shipping_taxed: false,
      },
    })
    const { id } = await checkout.ready({ currency: 'jpy', price_amount: 333 }, 1)
    const paid = await sessionOf(checkout.complete(id))
    expect(paid).toMatchObject({ status: 'completed', currency: 'jpy' })
    // 26.64 yen of tax.
    expect([amountOf(paid.totals, 'tax'), amountOf(paid.totals, 'total')]).toEqual([27, 360])
    const { amount, currency } = await shop.ctx.db.read
      .selectFrom('payments')
      .select(['amount', 'currency'])
      .where('session_id', '=', id)
      .executeTakeFirstOrThrow()
    expect([amount, currency]).toEqual([360, 'jpy'])
  })

  test('a session ends exactly at its expiry; a payment before it counts', async () => {
    const late = await checkout.ready({ stock: 5 })
    const early = await checkout.ready()
    const ttl = shop.ctx.config.checkoutSessionTtlSeconds * 1000
    shop.advance(ttl - 1)
    payments.loseAnswers(1)
    expect((await checkout.complete(early.id)).status).toBe(503)
    shop.advance(1)
    await shop.ctx.db.write(async (tx) => {
      for (const job of checkoutJobs.filter(({ everyMs }) => everyMs !== null))
        await shop.ctx.jobs.enqueue(tx, job, {}, { key: 'recurring' })
    })
    const [response] = await Promise.all([checkout.complete(late.id), shop.work()])
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { code: 'session_expired' },
    ])
    expect((await checkout.session(late.id)).status).toBe('expired')
    expect(await checkout.stockOf(late.productId)).toBe(5)
    shop.advance(60_000)
    await shop.work()
    expect((await checkout.session(early.id)).status).toBe('completed')
    expect(payments.charged.size).toBe(1)
  })

  test('a session that loses its delivery address is no longer ready for payment', async () => {
    const { id: product_id } = await shop.product({ fulfillment_type: 'shipping' })
    const line_items = [{ product_id, quantity: 1 }]
    const body = { line_items, buyer, fulfillment_details: { address } }
    const { id } = await sessionOf(shop.post('/checkout_sessions', body))
    await shop.post(`/checkout_sessions/${id}`, { fulfillment_details: null })
    expect(await sessionOf(checkout.complete(id))).toMatchObject({
      status: 'not_ready_for_payment',
      messages: [{ code: 'missing', param: '$.fulfillment_details.address' }],
    })
    expect(payments.asks).toBe(0)
  })
})
