import { beforeEach, expect, test } from 'vitest'
import { getProduct } from '#features/catalog/index.ts'
import { notePaymentEvent } from '#features/checkout/index.ts'
import type { RefundOutcome } from '#platform/payments/payments.ts'
import type { FlakyPayments } from '#test/support/commerce/flaky-payments.ts'
import { openOrderShop, type OrderShop } from '#test/support/commerce/order-shop.ts'
import { describeShop, type Shop } from '#test/support/commerce/shop.ts'

/** An earlier answer was lost, a later one refused: the provider's event says what became of it. */
describeShop('a refund that was refused, and that the provider has nevertheless', (open) => {
  let desk: OrderShop
  let shop: Shop
  let payments: FlakyPayments

  beforeEach(async () => {
    desk = await openOrderShop(open)
    ;({ shop, payments } = desk)
  })

  const get = (id: string) => desk.call('get_order', { id })
  const stockOf = async (productId: string) =>
    (await getProduct(shop.ctx, shop.owner.workspaceId, productId)).stock

  async function refused(operation: string, input: { readonly id: string }): Promise<string> {
    payments.refusesRefunds = true
    const attempt = desk.call(operation, input)
    await expect(attempt).rejects.toMatchObject({ code: 'refund_declined' })
    payments.refusesRefunds = false
    return await lastRefundOf(input.id)
  }

  async function lastRefundOf(orderId: string): Promise<string> {
    const found = await desk.call<{ readonly refunds: readonly { readonly id: string }[] }>(
      'get_order',
      { id: orderId },
    )
    return String(found.refunds.at(-1)?.id)
  }

  const report = (refundId: string, outcome: RefundOutcome) =>
    notePaymentEvent(shop.ctx, { kind: 'refund', refundId, outcome })
  const made = { status: 'succeeded', reference: 're_1' } as const

  test('is completed by its event, once, and the endpoints receive it', async () => {
    const { id } = await desk.paid()
    const endpoint = { app_id: shop.agent.id, url: 'https://agent.example/hook' }
    await desk.call('create_webhook_endpoint', endpoint)
    const refundId = await refused('refund_order', { id, amount: 1000 } as { id: string })
    expect(await get(id)).toMatchObject({ refunded_amount: 0, refunds: [{ status: 'failed' }] })
    const reports = async () =>
      (await shop.ctx.db.read.selectFrom('webhook_deliveries').select('id').execute()).length
    const before = await reports()
    for (let times = 0; times < 3; times += 1) await report(refundId, made)
    expect(await get(id)).toMatchObject({
      refunded_amount: 1000,
      refunds: [{ amount: 1000, status: 'completed' }],
    })
    expect(await reports()).toBe(before + 1)
    await report(refundId, { status: 'declined', reference: 're_1', code: 'lost_card' })
    expect(await get(id)).toMatchObject({ refunded_amount: 0, refunds: [{ status: 'failed' }] })
  })

  test('is pending again while the provider does not know the outcome, and the job looks it up', async () => {
    const { id } = await desk.paid()
    const refundId = await refused('refund_order', { id })
    await report(refundId, { status: 'pending', reference: 're_1' })
    expect(await get(id)).toMatchObject({ refunded_amount: 2500, refunds: [{ status: 'pending' }] })
    shop.advance(60_000)
    await shop.work()
    expect((await get(id)).refunds).toMatchObject([{ status: 'completed' }])
    expect(payments.refunds).toMatchObject([{ refundId, reference: 're_1' }])
  })

  test('stays failed after an event that it failed, whatever arrives later', async () => {
    const { id } = await desk.paid()
    const refundId = await refused('refund_order', { id })
    await report(refundId, { status: 'declined', reference: 're_1', code: 'lost_card' })
    await report(refundId, made)
    expect((await get(id)).refunds).toMatchObject([{ status: 'failed' }])
  })

  test('a refusal that arrives after its event changes nothing', async () => {
    const { id } = await desk.paid()
    payments.isDown = true
    await desk.call('refund_order', { id })
    payments.isDown = false
    const refundId = await lastRefundOf(id)
    await report(refundId, { status: 'pending', reference: 're_1' })
    payments.refusesRefunds = true
    shop.advance(60_000)
    await shop.work()
    expect((await get(id)).refunds).toMatchObject([{ status: 'pending' }])
    await report(refundId, made)
    expect((await get(id)).refunds).toMatchObject([{ status: 'completed' }])
  })

  test('cancels its order again and returns the stock', async () => {
    const { id, productId } = await desk.paid(2)
    const refundId = await refused('cancel_order', { id })
    expect([(await get(id)).status, await stockOf(productId)]).toEqual(['confirmed', 18])
    for (let times = 0; times < 2; times += 1) await report(refundId, made)
    expect([(await get(id)).status, await stockOf(productId)]).toEqual(['canceled', 20])
  })

  test('but not if part of the order has been sent in the meantime', async () => {
    const { id, productId } = await desk.paid(2)
    const refundId = await refused('cancel_order', { id })
    await desk.call('fulfill_order', { id })
    await report(refundId, made)
    expect(await get(id)).toMatchObject({ status: 'shipped', refunds: [{ status: 'completed' }] })
    expect(await stockOf(productId)).toBe(18)
  })

  test('beside its replacement: the remaining amount is zero, never negative', async () => {
    const { id } = await desk.paid(2)
    const refundId = await refused('refund_order', { id })
    await desk.call('refund_order', { id })
    await report(refundId, made)
    for (const input of [{ id }, { id, amount: 1 }])
      await expect(desk.call('refund_order', input)).rejects.toMatchObject({
        code: 'refund_exceeds_payment',
        facts: { refundable: 0 },
      })
    expect(payments.refunds).toHaveLength(1)
  })
})
