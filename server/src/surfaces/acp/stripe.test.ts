import { afterAll, beforeAll, expect, test } from 'vitest'
import { getOrder } from '#features/orders/index.ts'
import { refundOrder } from '#features/payments/index.ts'
import { proof } from '#test/support/commerce/checkout-states.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'
import {
  startStripeServer,
  webhookSecret,
  type StripeServer,
} from '#test/support/servers/stripe-server.ts'

/** The unmodified official package against a payment server on loopback. */
describeShop('a shop paid through Stripe', (open) => {
  let shop: Shop
  let stripe: StripeServer

  beforeAll(async () => {
    stripe = await startStripeServer()
    shop = await open({
      environment: {
        PAYMENTS: 'stripe',
        STRIPE_SECRET_KEY: 'sk_live_of_nobody',
        STRIPE_WEBHOOK_SECRET: webhookSecret,
        STRIPE_API_BASE: stripe.baseUrl,
        PAYMENT_TIMEOUT_MS: '300',
      },
    })
    stripe.now = shop.ctx.clock.now
  })
  afterAll(() => stripe.stop())

  async function ready(): Promise<string> {
    const product = await shop.product({ stock: 10 })
    const body = { currency: 'usd', capabilities: {}, line_items: [{ id: product.id }], buyer }
    const session = await sessionOf(shop.post('/checkout_sessions', body, strict()))
    expect(session.status).toBe('ready_for_payment')
    return session.id
  }

  const pay = (token: string, more = {}) => ({
    payment_data: {
      handler_id: 'card_tokenized',
      instrument: { type: 'card', credential: { type: 'spt', token } },
    },
    ...more,
  })

  const complete = async (id: string, body: object, headers = strict()) =>
    await shop.post(`/checkout_sessions/${id}/complete`, body, headers)

  function creations(sessionId: string) {
    return stripe.requests.filter(
      ({ path, parameters }) =>
        path === '/v1/payment_intents' && parameters['metadata[session_id]'] === sessionId,
    )
  }

  test('charges the shared payment token once, under the id of our payment', async () => {
    const id = await ready()
    const paid = await sessionOf(complete(id, pay('spt_good')))
    expect(paid.status).toBe('completed')
    const [request, another] = creations(id)
    expect(another).toBeUndefined()
    expect(request).toMatchObject({
      version: '2026-04-22.preview',
      parameters: {
        amount: '1250',
        currency: 'usd',
        confirm: 'true',
        'payment_method_data[shared_payment_granted_token]': 'spt_good',
      },
    })
    expect(request?.idempotencyKey).toBe(request?.parameters['metadata[payment_id]'])
    const order = await shop.ctx.db.read
      .selectFrom('orders')
      .select('is_test')
      .where('session_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(order.is_test).toBe(0)
  })

  test('without payment_data nothing is paid: 400 names the field', async () => {
    const id = await ready()
    const refused = await shop.post(`/checkout_sessions/${id}/complete`, {})
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: 'missing', message: expect.stringContaining('payment_data') } },
    ])
  })

  test('a handler that was not offered is refused', async () => {
    const id = await ready()
    const body = { payment_data: { ...pay('spt_good').payment_data, handler_id: 'other' } }
    const refused = await complete(id, body)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'invalid_payment_handler', param: '$.payment_data.handler_id' },
    ])
  })

  test.each(['spt_decline', 'spt_used'])(
    'a declined token (%s) leaves the session open',
    async (token) => {
      const id = await ready()
      const declined = await sessionOf(complete(id, pay(token)))
      expect(declined).toMatchObject({
        status: 'ready_for_payment',
        messages: [{ type: 'error', code: 'payment_declined' }],
      })
      expect((await sessionOf(complete(id, pay('spt_good')))).status).toBe('completed')
    },
  )

  test('3-D Secure continues with the same payment and the issuer’s proof', async () => {
    const id = await ready()
    const waiting = await sessionOf(complete(id, pay('spt_3ds')))
    expect(waiting).toMatchObject({
      status: 'authentication_required',
      continue_url: 'https://bank.example/3ds',
    })
    const paid = await sessionOf(complete(id, pay('spt_3ds', proof)))
    expect(paid.status).toBe('completed')
    expect(creations(id)).toHaveLength(1)
  })

  test('denied authentication cancels the payment', async () => {
    const id = await ready()
    await complete(id, pay('spt_3ds'))
    const result = { authentication_result: { outcome: 'denied' } }
    const denied = await sessionOf(complete(id, pay('spt_3ds', result)))
    expect(denied.status).toBe('ready_for_payment')
    expect(stripe.requests.at(-1)?.path).toMatch(/\/cancel$/)
  })

  test.each([
    ['the proof of it', proof],
    ['word that it was given up', { authentication_result: { outcome: 'canceled' } }],
  ])('a payment on the provider’s page counts, even if %s follows', async (_, result) => {
    const id = await ready()
    await complete(id, pay('spt_3ds'))
    stripe.authenticate([...stripe.intents.values()].at(-1)?.id ?? '')
    const paid = await sessionOf(complete(id, pay('spt_3ds', result)))
    expect(paid.status).toBe('completed')
    expect(creations(id)).toHaveLength(1)
  })

  test('a proof with a denial does not count: nothing is charged', async () => {
    const id = await ready()
    await complete(id, pay('spt_3ds'))
    const result = { ...proof.authentication_result, outcome: 'denied' }
    const denied = complete(id, pay('spt_3ds', { authentication_result: result }))
    expect((await sessionOf(denied)).status).toBe('ready_for_payment')
    expect([...stripe.intents.values()].at(-1)?.status).toBe('canceled')
  })

  test('a timeout after the charge: 503, and the repetition finds it', async () => {
    const id = await ready()
    stripe.holdAnswers(1)
    const headers = strict()
    const lost = await complete(id, pay('spt_good'), headers)
    expect(lost.status).toBe(503)
    const again = await sessionOf(complete(id, pay('spt_good'), headers))
    expect(again.status).toBe('completed')
    const keys = new Set(creations(id).map(({ idempotencyKey }) => idempotencyKey))
    expect(creations(id)).toHaveLength(2)
    expect(keys.size).toBe(1)
    const charges = [...stripe.intents.values()].filter(
      ({ metadata }) => metadata.session_id === id,
    )
    expect(charges).toHaveLength(1)
  })

  test('errors of the provider leave the charge in doubt, and the job settles it', async () => {
    const id = await ready()
    stripe.failWith(500, 1)
    expect((await complete(id, pay('spt_good'))).status).toBe(503)
    shop.advance(60_000)
    await shop.work()
    const session = await sessionOf(shop.get(`/checkout_sessions/${id}`, strict()))
    expect(session.status).toBe('completed')
  })

  test('after a day the provider is searched for a charge it may have made', async () => {
    const id = await ready()
    stripe.holdAnswers(1)
    await complete(id, pay('spt_good'))
    shop.advance(21 * 60 * 60_000)
    await shop.work()
    expect(creations(id)).toHaveLength(1)
    const row = await shop.ctx.db.read
      .selectFrom('checkout_sessions')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.status).toBe('completed')
  })

  const hook = async (body: string, signature: string) =>
    await shop.app.request('/hooks/payments/stripe', {
      method: 'POST',
      headers: { 'stripe-signature': signature },
      body,
    })

  test('its events complete what the buyer authenticated elsewhere, in any order and twice', async () => {
    const id = await ready()
    await complete(id, pay('spt_3ds'))
    const intentId = [...stripe.intents.values()].at(-1)?.id ?? ''
    const early = stripe.event('payment_intent.requires_action', intentId)
    stripe.authenticate(intentId)
    const late = stripe.event('payment_intent.succeeded', intentId)
    const failed = stripe.event('payment_intent.payment_failed', intentId)
    for (const { body, signature } of [late, early, failed, late]) {
      const response = await hook(body, signature)
      expect([response.status, await response.json()]).toEqual([200, { received: true }])
    }
    const session = await sessionOf(shop.get(`/checkout_sessions/${id}`, strict()))
    expect(session.status).toBe('completed')
  })

  test('an event with an invalid signature is refused', async () => {
    const { body, signature } = stripe.event('payment_intent.succeeded', 'pi_1')
    for (const [text, sign] of [
      [`${body} `, signature],
      [body, ''],
      [body, signature.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ] as const)
      expect((await hook(text, sign)).status).toBe(400)
    const elsewhere = await shop.app.request('/hooks/payments/other', { method: 'POST', body })
    expect(elsewhere.status).toBe(404)
  })

  test('a refund requested a day ago is looked up before it is requested again', async () => {
    const id = await ready()
    const { order } = await sessionOf(complete(id, pay('spt_good')))
    const { workspaceId } = shop.owner
    stripe.holdAnswers(1)
    const before = stripe.requests.length
    const pending = await refundOrder(shop.ctx, workspaceId, order?.id ?? '', { amountMinor: 250 })
    expect(pending.refunds).toMatchObject([{ status: 'pending' }])
    shop.advance(21 * 60 * 60_000)
    await shop.work()
    const settled = await getOrder(shop.ctx, workspaceId, order?.id ?? '')
    expect(settled.refunds).toMatchObject([{ amountMinor: 250, status: 'completed' }])
    const asked = stripe.requests.slice(before).map(({ method, path }) => `${method} ${path}`)
    expect(asked).toEqual(['POST /v1/refunds', 'GET /v1/refunds'])
  })

  test('refunds go through it once, and its refusals are reported', async () => {
    const id = await ready()
    const { order } = await sessionOf(complete(id, pay('spt_good')))
    const { workspaceId } = shop.owner
    const refunded = await refundOrder(shop.ctx, workspaceId, order?.id ?? '', { amountMinor: 250 })
    expect(refunded.refunds).toMatchObject([{ amountMinor: 250, status: 'completed' }])
    const request = stripe.requests.at(-1)
    expect(request).toMatchObject({ path: '/v1/refunds', parameters: { amount: '250' } })
    expect(request?.idempotencyKey).toBe(refunded.refunds[0]?.id)
    for (const intent of stripe.intents.values()) intent.status = 'canceled'
    const declined = refundOrder(shop.ctx, workspaceId, order?.id ?? '', {})
    await expect(declined).rejects.toMatchObject({ code: 'refund_declined' })
  })
})
