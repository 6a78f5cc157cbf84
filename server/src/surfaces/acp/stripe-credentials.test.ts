import { afterAll, beforeAll, expect, test } from 'vitest'
import { getOrder } from '#features/orders/index.ts'
import { refundOrder } from '#features/payments/index.ts'
import { pay } from '#test/support/checkout-states.ts'
import { describeShop, sessionOf, strict } from '#test/support/shop.ts'
import { openStripeTill, type StripeTill } from '#test/support/stripe-till.ts'

const hour = 60 * 60_000

describeShop('a key of Stripe’s that is wrong for a while', (open) => {
  let till: StripeTill

  beforeAll(async () => {
    till = await openStripeTill(open)
  })
  afterAll(() => till.stripe.stop())

  test.each([401, 403])('%i to the first question: nothing was charged', async (status) => {
    const id = await till.ready()
    till.stripe.failWith(status, 1)
    const declined = await sessionOf(till.complete(id))
    expect(declined).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ code: 'payment_declined' }],
    })
    expect((await sessionOf(till.complete(id))).status).toBe('completed')
  })

  test.each([401, 403])(
    '%i after an answer that was lost says nothing of the charge: it is asked for until it is known',
    async (status) => {
      const id = await till.ready()
      const headers = strict()
      till.stripe.holdAnswers(1)
      expect((await till.complete(id, pay(), headers)).status).toBe(503)
      till.stripe.failWith(status, 2)
      expect((await till.complete(id, pay(), headers)).status).toBe(503)
      till.shop.advance(hour)
      await till.shop.work()
      expect((await till.session(id)).status).toBe('complete_in_progress')
      till.shop.advance(hour)
      await till.shop.work()
      expect((await till.session(id)).status).toBe('completed')
      expect(till.intentsOf(id)).toHaveLength(1)
    },
  )

  test('nor of a refund: it stays pending, and is known later', async () => {
    const { shop, stripe } = till
    const { order } = await sessionOf(till.complete(await till.ready()))
    const of = [shop.ctx, shop.owner.workspaceId, String(order?.id)] as const
    stripe.holdAnswers(1)
    const asked = await refundOrder(...of, { amountMinor: 250 })
    expect(asked.refunds).toMatchObject([{ status: 'pending' }])
    stripe.failWith(401, 1)
    shop.advance(hour)
    await shop.work()
    expect((await getOrder(...of)).refunds).toMatchObject([{ status: 'pending' }])
    shop.advance(hour)
    await shop.work()
    expect((await getOrder(...of)).refunds).toMatchObject([{ status: 'completed' }])
    expect(stripe.refunds).toHaveLength(1)
  })
})
