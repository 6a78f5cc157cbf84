import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPayments } from '#platform/payments/create-payments.ts'
import { pay, proof } from '#test/support/checkout-states.ts'
import { describeShop, sessionOf, strict, type Shop } from '#test/support/shop.ts'
import { openStripeTill, type StripeTill } from '#test/support/stripe-till.ts'

describeShop('a charge that Stripe was asked for before', (open) => {
  let till: StripeTill
  /** Has another address for buyers to come back to, as after a change of BASE_URL or an upgrade. */
  let after: Shop

  beforeAll(async () => {
    till = await openStripeTill(open)
    const config = { ...till.shop.ctx.config, baseUrl: 'https://moved.example' }
    after = await till.shop.process({ payments: createPayments(config) })
  })
  afterAll(() => till.stripe.stop())

  const completeAfter = (id: string, body: object, headers: Readonly<Record<string, string>>) =>
    after.post(`/checkout_sessions/${id}/complete`, body, headers)

  test('in other words is looked up: Stripe refuses the words all day', async () => {
    const id = await till.ready()
    const headers = strict()
    till.stripe.holdAnswers(1)
    expect((await till.complete(id, pay(), headers)).status).toBe(503)
    expect((await sessionOf(completeAfter(id, pay(), headers))).status).toBe('completed')
    expect(till.intentsOf(id)).toHaveLength(1)
  })

  test('also one that goes on after the bank was asked', async () => {
    const id = await till.ready()
    await till.complete(id, pay('spt_3ds'))
    const [headers, body] = [strict(), pay('spt_3ds', proof)]
    till.stripe.holdAnswers(1)
    expect((await till.complete(id, body, headers)).status).toBe(503)
    expect((await sessionOf(completeAfter(id, body, headers))).status).toBe('completed')
    expect(till.intentsOf(id)).toHaveLength(1)
  })

  test('stays in doubt while Stripe shows nothing of it', async () => {
    const id = await till.ready()
    const headers = strict()
    till.stripe.holdAnswers(1)
    await till.complete(id, pay(), headers)
    const [intent] = till.intentsOf(id)
    Object.assign(intent ?? {}, { status: 'requires_payment_method' })
    expect((await completeAfter(id, pay(), headers)).status).toBe(503)
    expect((await till.session(id)).status).toBe('complete_in_progress')
    Object.assign(intent ?? {}, { status: 'succeeded' })
    expect((await sessionOf(completeAfter(id, pay(), headers))).status).toBe('completed')
  })

  test('is not declined by the event that it was made, which comes before it was tried', async () => {
    const id = await till.ready()
    till.stripe.holdAnswers(1)
    await till.complete(id)
    const [intent] = till.intentsOf(id)
    Object.assign(intent ?? {}, { status: 'requires_payment_method' })
    await till.tell('payment_intent.created', intent?.id ?? '')
    expect((await till.session(id)).status).toBe('complete_in_progress')
    Object.assign(intent ?? {}, { status: 'succeeded' })
    await till.tell('payment_intent.succeeded', intent?.id ?? '')
    expect((await till.session(id)).status).toBe('completed')
    await till.shop.work()
    expect(till.stripe.refunds).toEqual([])
  })

  test('again hours later is found when its answer was lost for a day', async () => {
    const id = await till.ready()
    till.stripe.failWith(500, 1)
    expect((await till.complete(id)).status).toBe(503)
    till.shop.advance(5 * 60 * 60_000)
    till.stripe.holdAnswers(1)
    await till.shop.work()
    till.shop.advance(21 * 60 * 60_000)
    await till.shop.work()
    const { status } = await till.shop.ctx.db.read
      .selectFrom('checkout_sessions')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(status).toBe('completed')
    expect(till.intentsOf(id)).toHaveLength(1)
  })
})
