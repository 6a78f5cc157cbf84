import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInstance, type Person } from '#test/support/test-instance.ts'
import {
  builderPlan,
  openPlanSale,
  packOfCredits,
  type PlanSale,
} from '#test/support/commerce/plan-sale.ts'

describeInstance('a pack of credits that was bought', (open) => {
  let sale: PlanSale

  beforeAll(async () => {
    sale = await openPlanSale(open)
  })
  afterAll(() => sale.stripe.stop())

  const buyPack = async (person: Person) => (await sale.buy(person, packOfCredits)).session

  test('is withdrawn by the refunded amount, however often Stripe repeats the event', async () => {
    const person = await sale.instance.person()
    const session = await buyPack(person)
    await sale.sendEvent('checkout.session.completed', session)
    const { charge } = sale.stripe.refund(session, 250)
    const event = sale.stripe.event('charge.refunded', charge)
    const statuses = await Promise.all([event, event].map(sale.send))
    expect(statuses).toEqual([200, 200])
    await sale.sendEvent('charge.refunded', charge)
    expect(await sale.balanceOf(person)).toBe(750)
    sale.stripe.refund(session, 750)
    await sale.sendEvent('charge.refunded', charge)
    expect(await sale.balanceOf(person)).toBe(0)
  })

  test('that was refunded before its payment event leaves no credits', async () => {
    const person = await sale.instance.person()
    const session = await buyPack(person)
    const { charge } = sale.stripe.refund(session, 1_000)
    await sale.sendEvent('charge.refunded', charge)
    await sale.sendEvent('checkout.session.completed', session)
    expect(await sale.balanceOf(person)).toBe(0)
  })

  test.each(['after', 'before'] as const)(
    'stays when giving its money back fails, and we hear of that %s the refund',
    async (order) => {
      const person = await sale.instance.person()
      const session = await buyPack(person)
      await sale.sendEvent('checkout.session.completed', session)
      const { charge, refund } = sale.stripe.refund(session, 1_000)
      if (order === 'after') {
        await sale.sendEvent('charge.refunded', charge)
        expect(await sale.balanceOf(person)).toBe(0)
      }
      refund.status = 'failed'
      await sale.sendEvent('refund.failed', refund)
      await sale.sendEvent('charge.refunded', charge)
      expect(await sale.balanceOf(person)).toBe(1000)
    },
  )

  test('remains when another payment is refunded', async () => {
    const person = await sale.instance.person()
    const session = await buyPack(person)
    await sale.sendEvent('checkout.session.completed', session)
    const { session: plan } = await sale.buy(person, builderPlan)
    const ofPlan = sale.stripe.refund(plan, 1_000)
    await sale.sendEvent('charge.refunded', ofPlan.charge)
    const ofShop = sale.stripe.refund({ ...session, id: 'shop', payment_intent: 'pi_shop' }, 1_000)
    await sale.sendEvent('charge.refunded', ofShop.charge)
    await sale.sendEvent('checkout.session.completed', plan)
    // The hundred are those of the plan.
    expect(await sale.balanceOf(person)).toBe(1100)
  })
})
