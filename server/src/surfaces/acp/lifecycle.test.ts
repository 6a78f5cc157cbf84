import { beforeAll, expect, test } from 'vitest'
import {
  address,
  amountOf,
  buyer,
  describeShop,
  sessionOf,
  type Shop,
} from '#test/support/commerce/shop.ts'

describeShop('a checkout in the interface’s words', (open) => {
  let shop: Shop

  beforeAll(async () => {
    shop = await open()
  })

  test('goes from creation to a paid order', async () => {
    const product = await shop.product({ stock: 30 })
    const created = await shop.post('/checkout_sessions', {
      line_items: [{ product_id: product.id, quantity: 2 }],
    })
    expect(created.status).toBe(201)
    const session = await sessionOf(created)
    expect(session).toMatchObject({
      status: 'not_ready_for_payment',
      currency: 'usd',
      messages: [{ type: 'error', code: 'missing', param: '$.buyer.email' }],
    })
    const ready = await sessionOf(shop.post(`/checkout_sessions/${session.id}`, { buyer }))
    expect(ready).toMatchObject({ id: session.id, status: 'ready_for_payment', messages: [] })
    expect(amountOf(ready.totals, 'total')).toBe(2500)
    const completed = await shop.post(`/checkout_sessions/${session.id}/complete`)
    expect(completed.status).toBe(200)
    const paid = await sessionOf(completed)
    expect(paid).toMatchObject({
      status: 'completed',
      order: { checkout_session_id: session.id, order_number: '#1001', status: 'confirmed' },
    })
    expect(await sessionOf(shop.get(`/checkout_sessions/${session.id}`))).toEqual(paid)
    const order = await (await shop.get(`/orders/${paid.order?.id}`)).json()
    expect(order).toEqual(paid.order)
  })

  test('a shipped cart is ready once it has an address: the only option is selected automatically', async () => {
    const product = await shop.product({ fulfillment_type: 'shipping' })
    const session = await sessionOf(
      shop.post('/checkout_sessions', { line_items: [{ product_id: product.id, quantity: 1 }] }),
    )
    expect(session).toMatchObject({
      status: 'not_ready_for_payment',
      messages: [{ code: 'missing', param: '$.fulfillment_details.address' }],
    })
    const ready = await sessionOf(
      shop.post(`/checkout_sessions/${session.id}`, { fulfillment_details: { address } }),
    )
    expect(ready).toMatchObject({
      status: 'ready_for_payment',
      selected_fulfillment_options: [{ type: 'shipping', option_id: 'standard' }],
    })
    expect(amountOf(ready.totals, 'fulfillment')).toBe(0)
  })
})
