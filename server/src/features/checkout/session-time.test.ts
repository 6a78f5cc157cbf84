import { beforeEach, expect, test } from 'vitest'
import { proof } from '#test/support/commerce/checkout-states.ts'
import { describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'
import { openTestCheckout, pay, type TestCheckout } from '#test/support/commerce/test-checkout.ts'

describeShop('a session stays open for its time after its last change', (open) => {
  let checkout: TestCheckout
  let shop: Shop

  beforeEach(async () => {
    checkout = await openTestCheckout(open)
    shop = checkout.shop
  })

  const lifetimeMs = () => shop.ctx.config.checkoutSessionTtlSeconds * 1000
  const almost = () => shop.advance(lifetimeMs() - 1000)

  test('a buyer has time to authenticate even if the bank asks in the last second', async () => {
    const { id } = await checkout.ready()
    almost()
    const asked = await sessionOf(checkout.complete(id, pay('spt_3ds')))
    expect(asked.status).toBe('authentication_required')
    almost()
    expect((await sessionOf(checkout.complete(id, pay('spt_3ds', proof)))).status).toBe('completed')
  })

  test('a decline leaves time for another payment method', async () => {
    const { id } = await checkout.ready()
    almost()
    await checkout.complete(id, pay('spt_decline'))
    almost()
    expect((await sessionOf(checkout.complete(id))).status).toBe('completed')
  })

  test('a new total leaves time to decide', async () => {
    const { id, productId } = await checkout.ready()
    almost()
    await shop.product({ ...({ productId } as object), price_amount: 1300 })
    expect((await sessionOf(checkout.complete(id))).messages).toMatchObject([
      { code: 'price_change' },
      { code: 'price_change' },
    ])
    almost()
    expect((await sessionOf(checkout.complete(id))).status).toBe('completed')
  })

  test('a decline that is learned after the expiry is reported, and the buyer can try again', async () => {
    const { id } = await checkout.ready()
    checkout.payments.loseAnswers(1)
    expect((await checkout.complete(id, pay('spt_decline'), strict('late'))).status).toBe(503)
    shop.advance(lifetimeMs())
    await shop.work()
    expect(await checkout.session(id)).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ code: 'payment_declined' }],
    })
    expect((await sessionOf(checkout.complete(id))).status).toBe('completed')
  })
})
