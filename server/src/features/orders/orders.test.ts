import { beforeEach, expect, test } from 'vitest'
import { getProduct } from '#features/catalog/index.ts'
import type { FlakyPayments } from '#test/support/commerce/flaky-payments.ts'
import { openOrderShop, type OrderShop } from '#test/support/commerce/order-shop.ts'
import { describeShop, sessionOf, type Shop } from '#test/support/commerce/shop.ts'

describeShop('orders', (open) => {
  let desk: OrderShop
  let shop: Shop
  let payments: FlakyPayments

  beforeEach(async () => {
    desk = await openOrderShop(open)
    ;({ shop, payments } = desk)
  })

  test('are listed newest first, marked as test orders, with their items and address', async () => {
    const first = await desk.paid()
    const second = await desk.paid(1)
    const list = await desk.call<{ items: { id: string; order_number: string; test: boolean }[] }>(
      'list_orders',
      { app_id: shop.agent.appNameId },
    )
    expect(list.items.map(({ id, order_number, test }) => [id, order_number, test])).toEqual([
      [second.id, '#1002', true],
      [first.id, '#1001', true],
    ])
    expect(await desk.call('get_order', { id: first.id })).toMatchObject({
      checkout_session_id: first.sessionId,
      status: 'confirmed',
      total_amount: 2500,
      buyer_email: 'ada@example.com',
      buyer_name: 'Ada Byron',
      notes: 'Ring twice',
      ship_to: {
        name: 'Ada Byron',
        lines: ['1 Test Street', 'Portland, OR, 97201'],
        country: 'US',
      },
      line_items: [{ quantity: 2, fulfilled: 0, delivery: 'shipping' }],
    })
  })

  test('are sent in parts, each with its tracking, and never more than was ordered', async () => {
    const { id } = await desk.paid(3)
    const [line] = (await desk.call('get_order', { id })).line_items
    const part = { id: line?.id, quantity: 2 }
    const sent = await desk.call('fulfill_order', {
      id,
      line_items: [part],
      carrier: 'Post',
      tracking_number: 'T1',
      tracking_url: 'https://post.example/T1',
    })
    expect(sent).toMatchObject({ status: 'processing', line_items: [{ fulfilled: 2 }] })
    const more = desk.call('fulfill_order', { id, line_items: [part] })
    await expect(more).rejects.toMatchObject({
      code: 'fulfillment_exceeds_order',
      facts: { left: 1 },
    })
    expect(await desk.call('fulfill_order', { id })).toMatchObject({
      status: 'shipped',
      line_items: [{ fulfilled: 3 }],
      fulfillments: [{ tracking_number: 'T1' }, { line_items: [{ quantity: 1 }] }],
    })
    const nothing = desk.call('fulfill_order', { id })
    await expect(nothing).rejects.toMatchObject({ code: 'fulfillment_exceeds_order' })
  })

  test('without deliveries are complete at once, with every line', async () => {
    const { id } = await desk.paid(2, { fulfillment_type: 'none' })
    expect(await (await shop.get(`/orders/${id}`)).json()).toMatchObject({
      status: 'completed',
      line_items: [{ quantity: { ordered: 2, current: 2, fulfilled: 2 }, status: 'fulfilled' }],
    })
  })

  test('are refunded in parts, never more than was paid, even with two requests at once', async () => {
    const { id } = await desk.paid(2)
    const part = await desk.call('refund_order', { id, amount: 1000, reason: 'Scratched' })
    expect(part).toMatchObject({
      refunded_amount: 1000,
      refunds: [{ amount: 1000, status: 'completed' }],
    })
    const outcomes = await Promise.allSettled([
      desk.call('refund_order', { id, amount: 1000 }),
      desk.call('refund_order', { id, amount: 1000 }),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await desk.call('refund_order', { id })).toMatchObject({ refunded_amount: 2500 })
    const more = desk.call('refund_order', { id })
    await expect(more).rejects.toMatchObject({
      code: 'refund_exceeds_payment',
      facts: { refundable: 0 },
    })
    expect(payments.refunds.map(({ amountMinor }) => amountMinor)).toEqual([1000, 1000, 500])
  })

  test('a refund without an answer from the provider stays pending, and the job settles it', async () => {
    const { id } = await desk.paid()
    payments.isDown = true
    const pending = await desk.call('refund_order', { id })
    expect(pending.refunds).toMatchObject([{ status: 'pending' }])
    payments.isDown = false
    shop.advance(60_000)
    await shop.work()
    expect((await desk.call('get_order', { id })).refunds).toMatchObject([{ status: 'completed' }])
    expect(payments.refunds).toHaveLength(1)
  })

  test('can be canceled before anything was sent: they are refunded and their stock is returned', async () => {
    const { id, productId } = await desk.paid(2)
    const stock = async () => (await getProduct(shop.ctx, shop.owner.workspaceId, productId)).stock
    expect(await stock()).toBe(18)
    expect(await desk.call('cancel_order', { id })).toMatchObject({
      status: 'canceled',
      refunded_amount: 2500,
    })
    expect(await stock()).toBe(20)
    expect(await (await shop.get(`/orders/${id}`)).json()).toMatchObject({
      status: 'canceled',
      line_items: [{ quantity: { ordered: 2, current: 0, fulfilled: 0 }, status: 'removed' }],
    })
    await expect(desk.call('cancel_order', { id })).rejects.toMatchObject({
      code: 'order_canceled',
    })
    await expect(desk.call('fulfill_order', { id })).rejects.toMatchObject({
      code: 'order_canceled',
    })
    const other = await desk.paid(2)
    await desk.call('fulfill_order', { id: other.id })
    await expect(desk.call('cancel_order', { id: other.id })).rejects.toMatchObject({
      code: 'order_already_fulfilled',
    })
  })

  test('are invisible to another tenant in every way', async () => {
    const { id } = await desk.paid()
    const stranger = await shop.person()
    for (const name of ['get_order', 'fulfill_order', 'refund_order', 'cancel_order']) {
      const attempt = desk.call(name, { id }, stranger)
      await expect(attempt).rejects.toMatchObject({ code: 'record_not_found' })
    }
    const other = await shop.anotherShop(stranger)
    const headers = { authorization: `Bearer ${other.key}` }
    const response = await shop.app.request(`/acp/${other.agent.id}/orders/${id}`, { headers })
    expect(response.status).toBe(404)
  })

  test('an editor cannot refund', async () => {
    const { id } = await desk.paid()
    const editor = await shop.person()
    await shop.join(editor, shop.owner.workspaceId, 'editor')
    for (const name of ['refund_order', 'cancel_order']) {
      const attempt = desk.call(name, { id }, editor)
      await expect(attempt).rejects.toMatchObject({ code: 'permission_denied' })
    }
    expect(payments.refunds).toEqual([])
  })

  test('the buyer’s link shows the order and no personal data', async () => {
    const { sessionId } = await desk.paid(1, { name: 'Pot <b>of</b> tea' })
    const session = await sessionOf(shop.get(`/checkout_sessions/${sessionId}`))
    const link = new URL(session.order?.permalink_url ?? '')
    expect(link.origin).toBe('https://parley.example')
    const response = await shop.app.request(link.pathname)
    expect(response.status).toBe(200)
    const page = await response.text()
    expect(page).toContain('Pot &lt;b&gt;of&lt;/b&gt; tea')
    expect(page).toContain('test order')
    expect(page).not.toContain('ada@example.com')
    expect(page).not.toContain('Test Street')
    const other = link.pathname.replace(/.$/, (last) => (last === '_' ? '-' : '_'))
    const guessed = await shop.app.request(other)
    expect(guessed.status).toBe(404)
  })
})
