import { beforeEach, expect, test } from 'vitest'
import { deleteProduct, getProduct } from '#features/catalog/index.ts'
import type { FlakyPayments } from '#test/support/commerce/flaky-payments.ts'
import { openOrderShop, type OrderShop } from '#test/support/commerce/order-shop.ts'
import { describeShop, type Shop } from '#test/support/commerce/shop.ts'

describeShop('money and stock of an order', (open) => {
  let desk: OrderShop
  let shop: Shop
  let payments: FlakyPayments

  beforeEach(async () => {
    desk = await openOrderShop(open)
    ;({ shop, payments } = desk)
  })

  const stockOf = async (productId: string) =>
    (await getProduct(shop.ctx, shop.owner.workspaceId, productId)).stock
  const givenBack = () => payments.refunds.map(({ amountMinor }) => amountMinor)

  test('canceled after a partial refund: only the rest is refunded, and all stock is returned', async () => {
    const { id, productId } = await desk.paid(2)
    await desk.call('refund_order', { id, amount: 700 })
    expect(await desk.call('cancel_order', { id })).toMatchObject({
      status: 'canceled',
      refunded_amount: 2500,
    })
    expect([givenBack(), await stockOf(productId)]).toEqual([[700, 1800], 20])
    await expect(desk.call('refund_order', { id })).rejects.toMatchObject({
      code: 'refund_exceeds_payment',
      facts: { refundable: 0 },
    })
  })

  test('canceled after a full refund: nothing is refunded twice', async () => {
    const { id, productId } = await desk.paid(2)
    await desk.call('refund_order', { id })
    expect(await desk.call('cancel_order', { id })).toMatchObject({ status: 'canceled' })
    expect([givenBack(), await stockOf(productId)]).toEqual([[2500], 20])
  })

  test('canceled during a partial refund that then fails: that part can be refunded again', async () => {
    const { id } = await desk.paid(2)
    payments.isDown = true
    await desk.call('refund_order', { id, amount: 700 })
    payments.isDown = false
    expect(await desk.call('cancel_order', { id })).toMatchObject({ refunded_amount: 2500 })
    payments.refusesRefunds = true
    shop.advance(60_000)
    await shop.work()
    payments.refusesRefunds = false
    expect(await desk.call('get_order', { id })).toMatchObject({
      status: 'canceled',
      refunded_amount: 1800,
    })
    expect(await desk.call('refund_order', { id })).toMatchObject({ refunded_amount: 2500 })
    expect(givenBack()).toEqual([1800, 700])
  })

  test('that was free is canceled without a provider and without a refund', async () => {
    const free = { price_amount: 0, fulfillment_type: 'digital' }
    const { id, productId } = await desk.paid(2, free)
    await expect(desk.call('refund_order', { id })).rejects.toMatchObject({
      code: 'refund_exceeds_payment',
    })
    expect(await desk.call('cancel_order', { id })).toMatchObject({
      status: 'canceled',
      refunds: [],
    })
    expect([givenBack(), await stockOf(productId)]).toEqual([[], 20])
  })

  test('of a product that was deleted later stays unchanged and can be sent and refunded', async () => {
    const sent = await desk.paid(2)
    await deleteProduct(shop.ctx, shop.owner.workspaceId, sent.productId)
    expect(await desk.call('get_order', { id: sent.id })).toMatchObject({
      total_amount: 2500,
      line_items: [{ quantity: 2 }],
    })
    expect(await desk.call('fulfill_order', { id: sent.id })).toMatchObject({ status: 'shipped' })
    expect(await desk.call('refund_order', { id: sent.id })).toMatchObject({
      refunded_amount: 2500,
    })
    const canceled = await desk.paid(2)
    await deleteProduct(shop.ctx, shop.owner.workspaceId, canceled.productId)
    expect(await desk.call('cancel_order', { id: canceled.id })).toMatchObject({
      status: 'canceled',
      refunded_amount: 2500,
    })
  })

  test('yen are refunded as whole units', async () => {
    const { id } = await desk.paid(2, {
      currency: 'jpy',
      price_amount: 333,
      fulfillment_type: 'none',
    })
    await desk.call('refund_order', { id, amount: 1 })
    expect(await desk.call('refund_order', { id })).toMatchObject({ refunded_amount: 666 })
    expect(payments.refunds).toMatchObject([
      { amountMinor: 1, currency: 'jpy' },
      { amountMinor: 665, currency: 'jpy' },
    ])
  })

  test('canceled and refunded at once: never more than was paid', async () => {
    const { id, productId } = await desk.paid(2)
    await Promise.allSettled([
      desk.call('cancel_order', { id }),
      desk.call('refund_order', { id }),
      desk.call('refund_order', { id, amount: 1300 }),
    ])
    const order = await desk.call('get_order', { id })
    expect(order.status).toBe('canceled')
    expect(order.refunded_amount).toBe(2500)
    expect(givenBack().reduce((sum, amount) => sum + amount, 0)).toBe(2500)
    expect(await stockOf(productId)).toBe(20)
  })
})
