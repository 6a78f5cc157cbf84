import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { getProduct } from '#features/catalog/index.ts'
import { hourMs } from '#kernel/durations.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { protocolValidator, schemasAbsent } from '#test/support/commerce/acp-schemas.ts'
import { actorOf } from '#test/support/test-instance.ts'
import type { OrderAnswer } from '#test/support/commerce/order-shop.ts'
import { address, buyer, describeShop, sessionOf, strict } from '#test/support/commerce/shop.ts'
import {
  startStripeServer,
  webhookSecret,
  type Refund,
  type StripeServer,
} from '#test/support/servers/stripe-server.ts'
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts'

const isOrder = schemasAbsent === null ? protocolValidator('Order') : () => undefined

interface ShownOrder {
  readonly status: string
  readonly adjustments: readonly { readonly status: string }[]
  readonly totals: readonly { readonly type: string; readonly amount: number }[]
}

/** The unmodified official package against a payment server on loopback. */
describeShop('refunds whose outcome Stripe reports later', (open) => {
  let shop: Awaited<ReturnType<typeof open>>
  let stripe: StripeServer
  let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>

  beforeAll(async () => {
    stripe = await startStripeServer()
    receiver = await startWebhookReceiver()
    shop = await open({
      environment: {
        PAYMENTS: 'stripe',
        STRIPE_SECRET_KEY: 'sk_live_of_nobody',
        STRIPE_WEBHOOK_SECRET: webhookSecret,
        STRIPE_API_BASE: stripe.baseUrl,
        PAYMENT_TIMEOUT_MS: '300',
        OUTBOUND_ALLOW_PRIVATE: receiver.host,
      },
    })
    stripe.now = shop.ctx.clock.now
    await call('create_webhook_endpoint', { app_id: shop.agent.id, url: receiver.url })
  })
  afterAll(async () => {
    await stripe.stop()
    await receiver.stop()
  })
  beforeEach(async () => {
    stripe.refundStatus = 'pending'
    await shop.work()
  })

  /** A paid order of two pots, of which 18 are left. */
  async function paid(): Promise<{ id: string; productId: string; sessionId: string }> {
    const product = await shop.product({ fulfillment_type: 'shipping', stock: 20 })
    const body = {
      currency: 'usd',
      capabilities: {},
      line_items: [{ id: product.id, quantity: 2 }],
      buyer,
      fulfillment_details: { address },
    }
    const { id: sessionId } = await sessionOf(shop.post('/checkout_sessions', body, strict()))
    const payment_data = {
      handler_id: 'card_tokenized',
      instrument: { type: 'card', credential: { type: 'spt', token: 'spt_good' } },
    }
    const path = `/checkout_sessions/${sessionId}/complete`
    const { order } = await sessionOf(shop.post(path, { payment_data }, strict()))
    return { id: order?.id ?? '', productId: product.id, sessionId }
  }

  async function call<Answer = OrderAnswer>(name: string, input: object): Promise<Answer> {
    const operation = findOperation(name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    // The operation's own schema has checked the answer.
    return (await runOperation(shop.ctx, actorOf(shop.owner), operation, input)) as Answer
  }

  const get = (id: string) => call('get_order', { id })
  const stockOf = async (productId: string) =>
    (await getProduct(shop.ctx, shop.owner.workspaceId, productId)).stock

  /** What the agent's key reads, held against the official schema. */
  async function shown(id: string): Promise<ShownOrder> {
    const body = await (await shop.get(`/orders/${id}`)).json()
    isOrder(body)
    return body as ShownOrder // by the schema
  }

  const givenBack = ({ totals }: ShownOrder) =>
    totals.find(({ type }) => type === 'amount_refunded')?.amount

  function lastRefund(): Refund {
    const refund = stripe.refunds.at(-1)
    if (refund === undefined) throw new Error('nothing was refunded')
    return refund
  }

  function end(refund: Refund, status: string, failure_reason = 'expired_or_canceled_card') {
    Object.assign(refund, { status, ...(status === 'failed' ? { failure_reason } : {}) })
  }

  async function sendEvent(type: string, { id }: Refund): Promise<void> {
    const { body, signature } = stripe.event(type, id)
    const headers = { 'stripe-signature': signature }
    const response = await shop.app.request('/hooks/payments/stripe', {
      method: 'POST',
      headers,
      body,
    })
    expect([response.status, await response.json()]).toEqual([200, { received: true }])
  }

  /** The orders reported to the agent since the last call. */
  async function reportedOrders(): Promise<unknown[]> {
    await shop.work()
    return receiver.received.splice(0).map(({ body }) => JSON.parse(body) as unknown)
  }

  test.each(['pending', 'requires_action'])(
    'one that is %s is reported as pending, reduces the refundable amount, and is requested once',
    async (status) => {
      stripe.refundStatus = status
      const { id } = await paid()
      const before = stripe.refunds.length
      const refunded = await call('refund_order', { id, amount: 1000 })
      expect(refunded).toMatchObject({ refunds: [{ amount: 1000, status: 'pending' }] })
      const order = await shown(id)
      expect(order.adjustments).toMatchObject([{ type: 'refund', status: 'pending' }])
      expect(givenBack(order)).toBeUndefined()
      await expect(call('refund_order', { id, amount: 1501 })).rejects.toMatchObject({
        code: 'refund_exceeds_payment',
        facts: { refundable: 1500 },
      })
      shop.advance(30 * hourMs)
      await shop.work()
      expect((await get(id)).refunds).toMatchObject([{ status: 'pending' }])
      expect(stripe.refunds).toHaveLength(before + 1)
    },
  )

  test.each(['refund.updated', 'charge.refund.updated'])(
    'its %s completes it, even if repeated or late, and is reported to the agent once',
    async (type) => {
      const { id } = await paid()
      await call('refund_order', { id, amount: 1000 })
      const refund = lastRefund()
      await sendEvent('refund.created', refund)
      expect((await get(id)).refunds).toMatchObject([{ status: 'pending' }])
      await reportedOrders()
      end(refund, 'succeeded')
      for (const event of [type, type, 'refund.created']) await sendEvent(event, refund)
      expect((await get(id)).refunds).toMatchObject([{ status: 'completed' }])
      expect(givenBack(await shown(id))).toBe(1000)
      expect(await reportedOrders()).toMatchObject([
        { type: 'order_update', data: { id, adjustments: [{ status: 'completed' }] } },
      ])
    },
  )

  test.each([
    ['succeeded', 'completed'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
  ])('without any event the job looks it up: %s is %s', async (status, expected) => {
    const { id } = await paid()
    await call('refund_order', { id, amount: 1000 })
    const before = stripe.requests.length
    shop.advance(hourMs)
    await shop.work()
    expect((await get(id)).refunds).toMatchObject([{ status: 'pending' }])
    const refund = lastRefund()
    end(refund, status)
    await reportedOrders()
    shop.advance(hourMs)
    expect(await reportedOrders()).toMatchObject([
      { type: 'order_update', data: { id, adjustments: [{ status: expected }] } },
    ])
    expect((await get(id)).refunds).toMatchObject([{ status: expected }])
    shop.advance(48 * hourMs)
    await shop.work()
    const asked = stripe.requests.slice(before).filter(({ path }) => path.endsWith(`/${refund.id}`))
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  test('a look-up that Stripe refuses does not change the refund', async () => {
    const { id } = await paid()
    await call('refund_order', { id, amount: 1000 })
    stripe.failWith(401, 100)
    shop.advance(hourMs)
    await shop.work()
    stripe.failWith(401, 0)
    expect((await get(id)).refunds).toMatchObject([{ status: 'pending' }])
    end(lastRefund(), 'succeeded')
    shop.advance(hourMs)
    await shop.work()
    expect((await get(id)).refunds).toMatchObject([{ status: 'completed' }])
  })

  test.each(['pending', 'succeeded'])(
    'one that was %s and then fails can be refunded again, and changes no stock',
    async (first) => {
      stripe.refundStatus = first
      const { id, productId } = await paid()
      await call('refund_order', { id, amount: 1000 })
      await reportedOrders()
      const refund = lastRefund()
      end(refund, 'failed')
      for (const type of ['refund.failed', 'refund.updated']) await sendEvent(type, refund)
      const order = await get(id)
      expect(order).toMatchObject({
        status: 'confirmed',
        refunded_amount: 0,
        refunds: [{ amount: 1000, status: 'failed' }],
      })
      expect(givenBack(await shown(id))).toBeUndefined()
      expect(await reportedOrders()).toMatchObject([
        { type: 'order_update', data: { id, adjustments: [{ status: 'failed' }] } },
      ])
      expect(await stockOf(productId)).toBe(18)
      stripe.refundStatus = 'succeeded'
      const again = await call('refund_order', { id })
      expect(again).toMatchObject({
        refunded_amount: 2500,
        refunds: [{ status: 'failed' }, { amount: 2500, status: 'completed' }],
      })
    },
  )

  test('that of a canceled order fails: the order is restored with its stock, and can be canceled', async () => {
    const { id, productId, sessionId } = await paid()
    expect(await call('cancel_order', { id })).toMatchObject({
      status: 'canceled',
      refunds: [{ status: 'pending' }],
    })
    expect(await stockOf(productId)).toBe(20)
    await reportedOrders()
    end(lastRefund(), 'failed')
    await Promise.all([1, 2, 3].map(() => sendEvent('refund.failed', lastRefund())))
    expect(await get(id)).toMatchObject({ status: 'confirmed', refunded_amount: 0 })
    expect(await stockOf(productId)).toBe(18)
    expect(await reportedOrders()).toMatchObject([
      { type: 'order_update', data: { status: 'confirmed' } },
    ])
    const session = await sessionOf(shop.get(`/checkout_sessions/${sessionId}`, strict()))
    expect(session).toMatchObject({ status: 'completed', order: { status: 'confirmed' } })
    stripe.refundStatus = 'succeeded'
    expect(await call('cancel_order', { id })).toMatchObject({
      status: 'canceled',
      refunded_amount: 2500,
    })
    expect(await stockOf(productId)).toBe(20)
  })

  test('what it put back was sold meanwhile: nothing is oversold, and the money can still go back', async () => {
    const { id, productId } = await paid()
    await call('cancel_order', { id })
    await shop.product({ ...({ productId } as object), stock: 1 })
    end(lastRefund(), 'failed')
    await sendEvent('refund.failed', lastRefund())
    expect(await get(id)).toMatchObject({ status: 'canceled', refunds: [{ status: 'failed' }] })
    expect(await stockOf(productId)).toBe(1)
    stripe.refundStatus = 'succeeded'
    expect(await call('refund_order', { id })).toMatchObject({
      status: 'canceled',
      refunded_amount: 2500,
    })
  })

  test('a cancel that Stripe declines at once leaves the order as it was', async () => {
    stripe.refundStatus = 'failed'
    const { id, productId } = await paid()
    await expect(call('cancel_order', { id })).rejects.toMatchObject({ code: 'refund_declined' })
    expect(await get(id)).toMatchObject({ status: 'confirmed', refunded_amount: 0 })
    expect(await stockOf(productId)).toBe(18)
  })

  test('its event overtakes the answer that was lost', async () => {
    stripe.refundStatus = 'failed'
    const { id } = await paid()
    stripe.holdAnswers(1)
    await call('refund_order', { id, amount: 1000 })
    await sendEvent('refund.failed', lastRefund())
    expect((await get(id)).refunds).toMatchObject([{ amount: 1000, status: 'failed' }])
  })

  test('one that was made elsewhere is ignored', async () => {
    const { id } = await paid()
    await call('refund_order', { id, amount: 1000 })
    const foreign = { ...lastRefund(), id: 're_foreign', metadata: {}, status: 'failed' }
    Object.assign(stripe.refunds, { [stripe.refunds.length]: foreign })
    await sendEvent('refund.failed', foreign)
    expect((await get(id)).refunds).toMatchObject([{ status: 'pending' }])
  })
})
