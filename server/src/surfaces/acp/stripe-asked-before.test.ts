import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPayments } from '#platform/payments/create-payments.ts'
import { pay, proof } from '#test/support/commerce/checkout-states.ts'
import { describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'
import { openStripeCheckout, type StripeCheckout } from '#test/support/commerce/stripe-checkout.ts'

describeShop('a charge that Stripe was asked for before', (open) => {
  let checkout: StripeCheckout
  /** Has another address for buyers to come back to, as after a change of BASE_URL or an upgrade. */
  let after: Shop

  beforeAll(async () => {
    checkout = await openStripeCheckout(open)
    const config = { ...checkout.shop.ctx.config, baseUrl: 'https://moved.example' }
    after = await checkout.shop.process({ payments: createPayments(config) })
  })
  afterAll(() => checkout.stripe.stop())

  const completeAfter = (id: string, body: object, headers: Readonly<Record<string, string>>) =>
    after.post(`/checkout_sessions/${id}/complete`, body, headers)

  test('with other parameters is looked up, because Stripe refuses other parameters for a day', async () => {
    const id = await checkout.ready()
    const headers = strict()
    checkout.stripe.holdAnswers(1)
    expect((await checkout.complete(id, pay(), headers)).status).toBe(503)
    expect((await sessionOf(completeAfter(id, pay(), headers))).status).toBe('completed')
    expect(checkout.intentsOf(id)).toHaveLength(1)
  })

  test('also one that continues after authentication', async () => {
    const id = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    const [headers, body] = [strict(), pay('spt_3ds', proof)]
    checkout.stripe.holdAnswers(1)
    expect((await checkout.complete(id, body, headers)).status).toBe(503)
    expect((await sessionOf(completeAfter(id, body, headers))).status).toBe('completed')
    expect(checkout.intentsOf(id)).toHaveLength(1)
  })

  test('remains uncertain while Stripe does not list it', async () => {
    const id = await checkout.ready()
    const headers = strict()
    checkout.stripe.holdAnswers(1)
    await checkout.complete(id, pay(), headers)
    const [intent] = checkout.intentsOf(id)
    Object.assign(intent ?? {}, { status: 'requires_payment_method' })
    expect((await completeAfter(id, pay(), headers)).status).toBe(503)
    expect((await checkout.session(id)).status).toBe('complete_in_progress')
    Object.assign(intent ?? {}, { status: 'succeeded' })
    expect((await sessionOf(completeAfter(id, pay(), headers))).status).toBe('completed')
  })

  test('is not declined by the event that it was made, which comes before it was tried', async () => {
    const id = await checkout.ready()
    checkout.stripe.holdAnswers(1)
    await checkout.complete(id)
    const [intent] = checkout.intentsOf(id)
    Object.assign(intent ?? {}, { status: 'requires_payment_method' })
    await checkout.sendEvent('payment_intent.created', intent?.id ?? '')
    expect((await checkout.session(id)).status).toBe('complete_in_progress')
    Object.assign(intent ?? {}, { status: 'succeeded' })
    await checkout.sendEvent('payment_intent.succeeded', intent?.id ?? '')
    expect((await checkout.session(id)).status).toBe('completed')
    await checkout.shop.work()
    expect(checkout.stripe.refunds).toEqual([])
  })

  test('is found when it is repeated hours later and its answer was lost for a day', async () => {
    const id = await checkout.ready()
    checkout.stripe.failWith(500, 1)
    expect((await checkout.complete(id)).status).toBe(503)
    checkout.shop.advance(5 * 60 * 60_000)
    checkout.stripe.holdAnswers(1)
    await checkout.shop.work()
    checkout.shop.advance(21 * 60 * 60_000)
    await checkout.shop.work()
    const { status } = await checkout.shop.ctx.db.read
      .selectFrom('checkout_sessions')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(status).toBe('completed')
    expect(checkout.intentsOf(id)).toHaveLength(1)
  })
})
