import { beforeEach, expect, test } from 'vitest'
import { refundOrder } from '#features/payments/index.ts'
import { proof } from '#test/support/commerce/checkout-states.ts'
import type { FlakyPayments } from '#test/support/commerce/flaky-payments.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'
import { openTestCheckout, pay, type TestCheckout } from '#test/support/commerce/test-checkout.ts'
import { checkoutJobs, lookUpCharge, notePaymentEvent } from './index.ts'

describeShop('what becomes of a payment', (open) => {
  let checkout: TestCheckout
  let shop: Shop
  let payments: FlakyPayments

  beforeEach(async () => {
    checkout = await openTestCheckout(open)
    ;({ shop, payments } = checkout)
  })

  test('a decline returns the stock and is reported; another payment method works', async () => {
    const { id, productId } = await checkout.ready({ stock: 10 })
    const declined = await sessionOf(checkout.complete(id, pay('spt_decline')))
    expect(declined).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ type: 'error', code: 'payment_declined', param: '$.payment_data' }],
    })
    expect(await checkout.stockOf(productId)).toBe(10)
    expect((await sessionOf(checkout.complete(id))).status).toBe('completed')
    expect(await checkout.stockOf(productId)).toBe(9)
  })

  test('a total that changed since it was shown is not charged: it is shown first, then accepted', async () => {
    const { id, productId } = await checkout.ready({ price_amount: 1000 })
    await shop.product({ ...({ productId } as object), price_amount: 1100 })
    const asked = await sessionOf(checkout.complete(id))
    expect(asked.status).toBe('ready_for_payment')
    expect(asked.messages).toMatchObject([
      { type: 'warning', code: 'price_change', content: expect.stringContaining('$11.00') },
      { type: 'warning', code: 'price_change', param: '$.line_items[0]' },
    ])
    expect(payments.asks).toBe(0)
    expect((await sessionOf(checkout.complete(id))).status).toBe('completed')
  })

  test('an incomplete session reports what is missing, and nothing is charged', async () => {
    const product = await shop.product()
    const line_items = [{ product_id: product.id, quantity: 1 }]
    const { id } = await sessionOf(shop.post('/checkout_sessions', { line_items }))
    const asked = await checkout.complete(id)
    expect(asked.status).toBe(200)
    expect(await sessionOf(asked)).toMatchObject({
      status: 'not_ready_for_payment',
      messages: [{ type: 'error', code: 'missing', param: '$.buyer.email' }],
    })
    expect(payments.asks).toBe(0)
    expect((await sessionOf(checkout.complete(id, pay('spt_test', { buyer })))).status).toBe(
      'completed',
    )
  })

  test('a free order needs no provider', async () => {
    const { id, productId } = await checkout.ready({ price_amount: 0, stock: 1 })
    const response = await shop.post(`/checkout_sessions/${id}/complete`)
    expect((await sessionOf(response)).status).toBe('completed')
    expect(payments.asks).toBe(0)
    expect(await checkout.stockOf(productId)).toBe(0)
  })

  test('3-D Secure: the buyer authenticates, and the same charge continues', async () => {
    const { id, productId } = await checkout.ready({ stock: 5 })
    const waiting = await sessionOf(checkout.complete(id, pay('spt_3ds')))
    expect(waiting.status).toBe('authentication_required')
    expect(await checkout.stockOf(productId)).toBe(5)
    const without = await checkout.complete(id, pay('spt_3ds'))
    expect([without.status, await without.json()]).toMatchObject([
      400,
      { code: 'requires_3ds', param: '$.authentication_result' },
    ])
    const denied = pay('spt_3ds', { authentication_result: { outcome: 'denied' } })
    const refused = await sessionOf(checkout.complete(id, denied))
    expect(refused.status).toBe('ready_for_payment')
    await checkout.complete(id, pay('spt_3ds'))
    expect((await sessionOf(checkout.complete(id, pay('spt_3ds', proof)))).status).toBe('completed')
    expect(await checkout.stockOf(productId)).toBe(4)
    expect(payments.charged.size).toBe(1)
  })

  test('a change of the session abandons the charge that waits for authentication', async () => {
    const { id } = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    const changed = await sessionOf(shop.post(`/checkout_sessions/${id}`, { order_notes: 'x' }))
    expect(changed.status).toBe('ready_for_payment')
    await shop.work()
    expect(payments.voided).toHaveLength(1)
  })

  test('a buyer who authenticates at the provider’s own page has paid', async () => {
    const { id } = await checkout.ready({ stock: 5 })
    await checkout.complete(id, pay('spt_3ds'))
    const reference = String((await checkout.paymentOf(id)).provider_reference)
    const event = {
      kind: 'charge',
      paymentId: null,
      outcome: { status: 'succeeded', reference },
    } as const
    await notePaymentEvent(shop.ctx, event)
    await notePaymentEvent(shop.ctx, event)
    expect((await checkout.session(id)).status).toBe('completed')
    expect(await checkout.orders()).toHaveLength(1)
  })

  test('a buyer who returns from the bank while the agent completes has paid: nothing is refunded', async () => {
    const { id } = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    const reference = String((await checkout.paymentOf(id)).provider_reference)
    const meanwhile = async () => {
      const paid = await sessionOf(checkout.complete(id, pay('spt_3ds', proof)))
      expect(paid.status).toBe('completed')
      return { status: 'succeeded', reference } as const
    }
    await lookUpCharge({ ...shop.ctx, payments: { ...payments, recall: meanwhile } }, reference)
    await shop.work()
    expect([(await checkout.session(id)).status, payments.refunds]).toEqual(['completed', []])
    expect(await checkout.orders()).toHaveLength(1)
  })

  test('and completes the agent’s request after its answer was lost', async () => {
    const { id } = await checkout.ready({ stock: 5 })
    await checkout.complete(id, pay('spt_3ds'))
    const reference = String((await checkout.paymentOf(id)).provider_reference)
    const meanwhile = async () => {
      payments.loseAnswers(1)
      expect((await checkout.complete(id, pay('spt_3ds', proof))).status).toBe(503)
      return { status: 'succeeded', reference } as const
    }
    await lookUpCharge({ ...shop.ctx, payments: { ...payments, recall: meanwhile } }, reference)
    shop.advance(60_000)
    await shop.work()
    expect([(await checkout.session(id)).status, payments.refunds]).toEqual(['completed', []])
    expect(await checkout.orders()).toHaveLength(1)
  })

  test('a payment for items sold in the meantime is refunded, and the session reports it', async () => {
    const { id, productId } = await checkout.ready({ stock: 1 })
    await checkout.complete(id, pay('spt_3ds'))
    await shop.product({ ...({ productId } as object), stock: 0 })
    const reference = String((await checkout.paymentOf(id)).provider_reference)
    const outcome = { status: 'succeeded', reference } as const
    await notePaymentEvent(shop.ctx, { kind: 'charge', paymentId: null, outcome })
    await shop.work()
    expect(payments.refunds).toMatchObject([{ chargeReference: reference, amountMinor: 1250 }])
    const session = await checkout.session(id)
    expect(session).toMatchObject({
      status: 'not_ready_for_payment',
      messages: [
        { code: 'payment_declined', content: expect.stringContaining('refunded') },
        { code: 'out_of_stock' },
      ],
    })
    expect(session).not.toHaveProperty('authentication_metadata')
  })

  test('a payment that arrives too late is refunded', async () => {
    const { id } = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    const reference = String((await checkout.paymentOf(id)).provider_reference)
    await shop.post(`/checkout_sessions/${id}/cancel`)
    const event = {
      kind: 'charge',
      paymentId: null,
      outcome: { status: 'succeeded', reference },
    } as const
    await notePaymentEvent(shop.ctx, event)
    await notePaymentEvent(shop.ctx, event)
    await shop.work()
    expect(payments.refunds).toMatchObject([{ chargeReference: reference, amountMinor: 1250 }])
    expect((await checkout.session(id)).status).toBe('canceled')
    expect(await checkout.orders()).toEqual([])
  })

  test('an event that overtakes the lost answer completes the session', async () => {
    const { id } = await checkout.ready()
    payments.loseAnswers(1)
    await checkout.complete(id, pay(), strict('overtaken'))
    const row = await checkout.paymentOf(id)
    const outcome = { status: 'succeeded', reference: `test_${row.id}` } as const
    await notePaymentEvent(shop.ctx, { kind: 'charge', paymentId: row.id, outcome })
    expect((await checkout.session(id)).status).toBe('completed')
    const again = await checkout.complete(id, pay(), strict('overtaken'))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test('an event about an unknown payment is ignored', async () => {
    const outcome = { status: 'succeeded', reference: 'pi_of_others' } as const
    await notePaymentEvent(shop.ctx, { kind: 'charge', paymentId: null, outcome })
    expect(await checkout.orders()).toEqual([])
  })

  test('only the provider that took the money refunds it, even after PAYMENTS names another one', async () => {
    const before = await shop.process({ payments: { ...payments, provider: 'stripe' } })
    const { id } = await checkout.ready()
    const { order } = await sessionOf(checkout.complete(id, pay(), strict(), before))
    const refunded = await refundOrder(shop.ctx, shop.owner.workspaceId, order?.id ?? '', {})
    expect(refunded.refunds).toMatchObject([{ status: 'pending' }])
    shop.advance(60 * 60_000)
    await shop.work()
    expect(payments.refunds).toEqual([])
    before.advance(3 * 60 * 60_000)
    await before.work()
    expect(payments.refunds).toMatchObject([{ amountMinor: 1250 }])
  })

  test('no other provider charges what the test provider left in doubt: the stock is returned', async () => {
    const { id, productId } = await checkout.ready({ stock: 1 })
    payments.isDown = true
    expect((await checkout.complete(id)).status).toBe(503)
    payments.isDown = false
    const after = await shop.process({ payments: { ...payments, provider: 'stripe' } })
    after.advance(60_000)
    await after.work()
    expect((await checkout.session(id)).status).toBe('ready_for_payment')
    expect(await checkout.stockOf(productId)).toBe(1)
    expect([payments.asks, payments.charged.size]).toEqual([1, 0])
  })

  test('the token of a payment is encrypted while it is needed, and deleted afterwards', async () => {
    const { id } = await checkout.ready()
    payments.loseAnswers(1)
    await checkout.complete(id, pay('spt_very_secret'), strict('sealed'))
    const row = await checkout.paymentOf(id)
    expect(row.request_sealed).not.toBeNull()
    expect(JSON.stringify(row)).not.toContain('spt_very_secret')
    await checkout.complete(id, pay('spt_very_secret'), strict('sealed'))
    expect((await checkout.paymentOf(id)).request_sealed).toBeNull()
  })

  test('a session expires at its expiry for readers at once, and in its row by the job', async () => {
    const { id } = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    shop.advance(shop.ctx.config.checkoutSessionTtlSeconds * 1000)
    expect((await checkout.session(id)).status).toBe('expired')
    for (const path of ['', '/complete', '/cancel']) {
      const response = await shop.post(`/checkout_sessions/${id}${path}`, {})
      expect(response.status).toBe(path === '/cancel' ? 405 : 409)
      expect(await response.json()).toMatchObject({ error: { code: 'session_expired' } })
    }
    await runRecurring()
    await shop.work()
    const row = await shop.ctx.db.read
      .selectFrom('checkout_sessions')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.status).toBe('expired')
    expect(payments.voided).toHaveLength(1)
  })

  /** As a starting service does. */
  async function runRecurring() {
    await shop.ctx.db.write(async (tx) => {
      for (const job of checkoutJobs.filter(({ everyMs }) => everyMs !== null))
        await shop.ctx.jobs.enqueue(tx, job, {}, { key: 'recurring' })
    })
  }
})
