import { afterAll, beforeAll, expect, test } from 'vitest'
import { getOrder } from '#features/orders/index.ts'
import { refundOrder } from '#features/payments/index.ts'
import { hourMs } from '#kernel/durations.ts'
import { pay } from '#test/support/commerce/checkout-states.ts'
import { describeShop, sessionOf, strict } from '#test/support/commerce/shop.ts'
import { openStripeCheckout, type StripeCheckout } from '#test/support/commerce/stripe-checkout.ts'

describeShop('a key of Stripe’s that is wrong temporarily', (open) => {
  let checkout: StripeCheckout

  beforeAll(async () => {
    checkout = await openStripeCheckout(open)
  })
  afterAll(() => checkout.stripe.stop())

  test.each([401, 403])('%i to the first question: nothing was charged', async (status) => {
    const id = await checkout.ready()
    checkout.stripe.failWith(status, 1)
    const declined = await sessionOf(checkout.complete(id))
    expect(declined).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ code: 'payment_declined' }],
    })
    expect((await sessionOf(checkout.complete(id))).status).toBe('completed')
  })

  test.each([401, 403])(
    '%i after a lost answer does not settle the charge: it is looked up until its status is known',
    async (status) => {
      const id = await checkout.ready()
      const headers = strict()
      checkout.stripe.holdAnswers(1)
      expect((await checkout.complete(id, pay(), headers)).status).toBe(503)
      checkout.stripe.failWith(status, 2)
      expect((await checkout.complete(id, pay(), headers)).status).toBe(503)
      checkout.shop.advance(hourMs)
      await checkout.shop.work()
      expect((await checkout.session(id)).status).toBe('complete_in_progress')
      checkout.shop.advance(hourMs)
      await checkout.shop.work()
      expect((await checkout.session(id)).status).toBe('completed')
      expect(checkout.intentsOf(id)).toHaveLength(1)
    },
  )

  test('nor a refund: it remains pending until its status is known', async () => {
    const { shop, stripe } = checkout
    const { order } = await sessionOf(checkout.complete(await checkout.ready()))
    const of = [shop.ctx, shop.owner.workspaceId, String(order?.id)] as const
    stripe.holdAnswers(1)
    const asked = await refundOrder(...of, { amountMinor: 250 })
    expect(asked.refunds).toMatchObject([{ status: 'pending' }])
    stripe.failWith(401, 1)
    shop.advance(hourMs)
    await shop.work()
    expect((await getOrder(...of)).refunds).toMatchObject([{ status: 'pending' }])
    shop.advance(hourMs)
    await shop.work()
    expect((await getOrder(...of)).refunds).toMatchObject([{ status: 'completed' }])
    expect(stripe.refunds).toHaveLength(1)
  })
})
