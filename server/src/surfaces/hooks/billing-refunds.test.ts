import { afterAll, beforeAll, expect, test } from 'vitest'
import { getCredits, startCheckout } from '#features/billing/index.ts'
import { describeGround, type Ground, type Person } from '#test/support/ground.ts'
import {
  billingWebhookSecret,
  startStripeBillingServer,
  type StripeBillingServer,
} from '#test/support/stripe-billing-server.ts'
import { hooksSurface } from './index.ts'

/** The official package, unmodified, against a billing server on loopback. */
describeGround('a pack of credits that was bought', (open) => {
  let ground: Ground
  let stripe: StripeBillingServer

  beforeAll(async () => {
    stripe = await startStripeBillingServer()
    ground = await open({
      STRIPE_SECRET_KEY: 'sk_live_of_nobody',
      STRIPE_API_BASE: stripe.baseUrl,
      BILLING_WEBHOOK_SECRET: billingWebhookSecret,
      BILLING_PLAN_PRICES: 'builder=price_builder',
      BILLING_CREDIT_PACKS: '1000=price_pack',
      PLAN_CREDITS: 'free=0,builder=100',
      DEFAULT_PLAN: 'free',
    })
  })
  afterAll(() => stripe.stop())

  const send = async ({ body, signature }: { body: string; signature: string }) => {
    const headers = { 'stripe-signature': signature }
    const init = { method: 'POST', body, headers }
    return (await hooksSurface(ground.ctx).request('/hooks/billing/stripe', init)).status
  }
  const tell = async (type: string, object: unknown) =>
    expect(await send(stripe.event(type, object))).toBe(200)
  const balanceOf = async (person: Person) =>
    ((await getCredits(ground.ctx, person.workspaceId)).balanceMicros ?? 0) / 1_000_000
  const buy = async (person: Person, item: Parameters<typeof startCheckout>[2]) =>
    stripe.buy((await startCheckout(ground.ctx, person, item)).url).session
  const buyPack = (person: Person) => buy(person, { kind: 'credits', credits: 1000 })

  test('goes with its money, by as much as was given back, however often Stripe tells of it', async () => {
    const person = await ground.person()
    const session = await buyPack(person)
    await tell('checkout.session.completed', session)
    const { charge } = stripe.refund(session, 250)
    const event = stripe.event('charge.refunded', charge)
    const statuses = await Promise.all([event, event].map(send))
    expect(statuses).toEqual([200, 200])
    await tell('charge.refunded', charge)
    expect(await balanceOf(person)).toBe(750)
    stripe.refund(session, 750)
    await tell('charge.refunded', charge)
    expect(await balanceOf(person)).toBe(0)
  })

  test('whose money was given back before we heard of it leaves nothing', async () => {
    const person = await ground.person()
    const session = await buyPack(person)
    const { charge } = stripe.refund(session, 1_000)
    await tell('charge.refunded', charge)
    await tell('checkout.session.completed', session)
    expect(await balanceOf(person)).toBe(0)
  })

  test.each(['after', 'before'] as const)(
    'stays when giving its money back fails, and we hear of that %s the refund',
    async (order) => {
      const person = await ground.person()
      const session = await buyPack(person)
      await tell('checkout.session.completed', session)
      const { charge, refund } = stripe.refund(session, 1_000)
      if (order === 'after') {
        await tell('charge.refunded', charge)
        expect(await balanceOf(person)).toBe(0)
      }
      refund.status = 'failed'
      await tell('refund.failed', refund)
      await tell('charge.refunded', charge)
      expect(await balanceOf(person)).toBe(1000)
    },
  )

  test('stays when the money of something else is given back', async () => {
    const person = await ground.person()
    const session = await buyPack(person)
    await tell('checkout.session.completed', session)
    const plan = await buy(person, { kind: 'plan', plan: 'builder' })
    const ofPlan = stripe.refund(plan, 1_000)
    await tell('charge.refunded', ofPlan.charge)
    const ofShop = stripe.refund({ ...session, id: 'shop', payment_intent: 'pi_shop' }, 1_000)
    await tell('charge.refunded', ofShop.charge)
    await tell('checkout.session.completed', plan)
    // The hundred are those of the plan.
    expect(await balanceOf(person)).toBe(1100)
  })
})
