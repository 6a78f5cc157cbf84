import { beforeEach, expect, test } from 'vitest'
import { proof } from '#test/support/checkout-states.ts'
import { describeShop, sessionOf, strict, type Shop } from '#test/support/shop.ts'
import { openTill, pay, type Till } from '#test/support/till.ts'

describeShop('a session stays open for its time after its last change', (open) => {
  let till: Till
  let shop: Shop

  beforeEach(async () => {
    till = await openTill(open)
    shop = till.shop
  })

  const lifetimeMs = () => shop.ctx.config.checkoutSessionTtlSeconds * 1000
  const almost = () => shop.advance(lifetimeMs() - 1000)

  test('a buyer whose bank asks in its last second has time to authenticate', async () => {
    const { id } = await till.ready()
    almost()
    const asked = await sessionOf(till.complete(id, pay('spt_3ds')))
    expect(asked.status).toBe('authentication_required')
    almost()
    expect((await sessionOf(till.complete(id, pay('spt_3ds', proof)))).status).toBe('completed')
  })

  test('after a decline there is time for another payment method', async () => {
    const { id } = await till.ready()
    almost()
    await till.complete(id, pay('spt_decline'))
    almost()
    expect((await sessionOf(till.complete(id))).status).toBe('completed')
  })

  test('a new total can be thought over', async () => {
    const { id, productId } = await till.ready()
    almost()
    await shop.product({ ...({ productId } as object), price_amount: 1300 })
    expect((await sessionOf(till.complete(id))).messages).toMatchObject([
      { code: 'price_change' },
      { code: 'price_change' },
    ])
    almost()
    expect((await sessionOf(till.complete(id))).status).toBe('completed')
  })

  test('a decline that is learned when its time is over is told, and can be mended', async () => {
    const { id } = await till.ready()
    till.payments.loseAnswers(1)
    expect((await till.complete(id, pay('spt_decline'), strict('late'))).status).toBe(503)
    shop.advance(lifetimeMs())
    await shop.work()
    expect(await till.session(id)).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ code: 'payment_declined' }],
    })
    expect((await sessionOf(till.complete(id))).status).toBe('completed')
  })
})
