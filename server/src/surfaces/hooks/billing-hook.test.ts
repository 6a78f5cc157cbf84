import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAuditEvents } from '#features/audit/index.ts'
import {
  billingJobs,
  getCredits,
  openBillingPortal,
  startCheckout,
} from '#features/billing/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { describeGround, type Ground, type Person } from '#test/support/ground.ts'
import {
  billingWebhookSecret,
  itemOf,
  startStripeBillingServer,
  type StripeBillingServer,
} from '#test/support/stripe-billing-server.ts'
import { outcomeOf } from '#test/support/spending.ts'
import { hooksSurface } from './index.ts'

/** The official package, unmodified, against a billing server on loopback. */
describeGround('plans and credits sold through Stripe', (open) => {
  let ground: Ground
  let stripe: StripeBillingServer

  beforeAll(async () => {
    stripe = await startStripeBillingServer()
    ground = await open({
      STRIPE_SECRET_KEY: 'sk_live_of_nobody',
      STRIPE_API_BASE: stripe.baseUrl,
      BILLING_WEBHOOK_SECRET: billingWebhookSecret,
      BILLING_PLAN_PRICES: 'builder=price_builder,studio=price_studio',
      BILLING_CREDIT_PACKS: '1000=price_pack',
      PLAN_CREDITS: 'free=0,builder=100,studio=500',
      DEFAULT_PLAN: 'free',
    })
  })
  afterAll(() => stripe.stop())

  const send = async ({ body, signature }: { body: string; signature: string }) => {
    const response = await hooksSurface(ground.ctx).request('/hooks/billing/stripe', {
      method: 'POST',
      body,
      headers: { 'stripe-signature': signature },
    })
    return response.status
  }
  const tell = async (type: string, object: unknown) =>
    expect(await send(stripe.event(type, object))).toBe(200)
  const planOf = async (person: Person) =>
    (await getWorkspace(ground.ctx, person.userId, person.workspaceId)).plan
  const balanceOf = async (person: Person) =>
    ((await getCredits(ground.ctx, person.workspaceId)).balanceMicros ?? 0) / 1_000_000
  const subscribe = async (person: Person, plan: 'builder' | 'studio' = 'builder') => {
    const { url } = await startCheckout(ground.ctx, person, { kind: 'plan', plan })
    const { session, subscription } = stripe.buy(url)
    return { session, subscription: subscription! }
  }

  describe('a plan', () => {
    test('is bought on a page of Stripe, which knows whose it is, under the id of the checkout', async () => {
      const person = await ground.person()
      await startCheckout(ground.ctx, person, { kind: 'plan', plan: 'builder' })
      const { parameters, idempotencyKey } = stripe.requests.at(-1)!
      expect(parameters).toMatchObject({
        mode: 'subscription',
        'line_items[0][price]': 'price_builder',
        'line_items[0][quantity]': '1',
        'subscription_data[metadata][workspace_id]': person.workspaceId,
        customer_email: person.email,
        client_reference_id: idempotencyKey,
      })
      expect(await planOf(person)).toBe('free')
    })

    test('comes with Stripe’s word of it, with its credits, and goes with its end', async () => {
      const person = await ground.person()
      const { session, subscription } = await subscribe(person)
      await tell('checkout.session.completed', session)
      expect(await planOf(person)).toBe('builder')
      expect(await balanceOf(person)).toBe(100)
      const again = startCheckout(ground.ctx, person, { kind: 'plan', plan: 'studio' })
      expect(await outcomeOf(again)).toBe('subscribed_already')
      stripe.change(subscription.id, { status: 'canceled' })
      await tell('customer.subscription.deleted', subscription)
      expect(await planOf(person)).toBe('free')
    })

    test('is in the audit log of its workspace, with each plan before and after', async () => {
      const person = await ground.person()
      const { session, subscription } = await subscribe(person)
      await tell('checkout.session.completed', session)
      await tell('customer.subscription.created', subscription)
      stripe.change(subscription.id, { status: 'canceled' })
      await tell('customer.subscription.deleted', subscription)
      const filter = { workspaceId: person.workspaceId, action: 'billing.change_plan' }
      const { items } = await listAuditEvents(ground.ctx, filter, { limit: 10 })
      const detail = (status: string) => ({ subscription_id: subscription.id, status })
      const [free, builder] = [{ plan: 'free' }, { plan: 'builder' }]
      expect(items).toMatchObject([
        { actor: null, before: builder, after: free, detail: detail('canceled') },
        { actor: null, before: free, after: builder, detail: detail('active') },
      ])
    })

    test('is what Stripe says now, not what a late event said', async () => {
      const person = await ground.person()
      const { subscription } = await subscribe(person)
      const early = stripe.event('customer.subscription.created', { ...subscription })
      stripe.change(subscription.id, { items: { data: [itemOf('price_studio')] } })
      await tell('customer.subscription.updated', subscription)
      expect(await planOf(person)).toBe('studio')
      expect(await send(early)).toBe(200)
      expect(await planOf(person)).toBe('studio')
    })

    test('that is paid late is served, and one that is never paid is not', async () => {
      const person = await ground.person()
      const { subscription } = await subscribe(person)
      const invoice = { parent: { subscription_details: { subscription: subscription.id } } }
      await tell('invoice.paid', invoice)
      expect(await planOf(person)).toBe('builder')
      stripe.change(subscription.id, { status: 'past_due' })
      await tell('invoice.payment_failed', invoice)
      expect(await planOf(person)).toBe('builder')
      stripe.change(subscription.id, { status: 'unpaid' })
      await tell('customer.subscription.updated', subscription)
      expect(await planOf(person)).toBe('free')
    })

    test('that was never paid does not take away the plan that was given', async () => {
      const person = await ground.person({ plan: 'enterprise' })
      const { url } = await startCheckout(ground.ctx, person, { kind: 'plan', plan: 'builder' })
      const { subscription } = stripe.buy(url, { paid: false })
      await tell('customer.subscription.created', subscription)
      expect(await planOf(person)).toBe('enterprise')
    })

    test('whose events are lost is looked for', async () => {
      const person = await ground.person()
      const { session, subscription } = await subscribe(person)
      await tell('checkout.session.completed', session)
      stripe.change(subscription.id, { status: 'canceled' })
      ground.advance(24 * 60 * 60 * 1000)
      const job = billingJobs.find(({ kind }) => kind === 'billing.sync_subscriptions')!
      const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
      await job.run(ground.ctx, {}, run)
      expect(await planOf(person)).toBe('free')
    })
  })

  describe('a pack of credits', () => {
    const buyPack = async (person: Person, paid = true) => {
      const { url } = await startCheckout(ground.ctx, person, { kind: 'credits', credits: 1000 })
      return stripe.buy(url, { paid }).session
    }

    test('is credited once, however often and at once Stripe tells of it', async () => {
      const person = await ground.person()
      const session = await buyPack(person)
      const event = stripe.event('checkout.session.completed', session)
      const other = stripe.event('checkout.session.async_payment_succeeded', session)
      const statuses = await Promise.all([event, event, other, event].map(send))
      expect(statuses).toEqual([200, 200, 200, 200])
      expect(await balanceOf(person)).toBe(1000)
    })

    test('is credited when it is paid, not when it is ordered', async () => {
      const person = await ground.person()
      const session = await buyPack(person, false)
      await tell('checkout.session.completed', session)
      expect(await balanceOf(person)).toBe(0)
      session.payment_status = 'paid'
      await tell('checkout.session.async_payment_succeeded', session)
      expect(await balanceOf(person)).toBe(1000)
    })

    test('opens the portal to its buyer, and makes the next checkout theirs', async () => {
      const person = await ground.person()
      const portal = () => openBillingPortal(ground.ctx, person.workspaceId)
      expect(await outcomeOf(portal())).toBe('no_billing_account')
      const session = await buyPack(person)
      await tell('checkout.session.completed', session)
      expect(await portal()).toEqual({ url: `https://portal/${session.customer}` })
      await subscribe(person)
      const creations = stripe.requests.filter(({ path }) => path === '/v1/checkout/sessions')
      expect(creations.at(-1)?.parameters.customer).toBe(session.customer)
    })
  })

  describe('an event', () => {
    test('whose signature does not hold is refused, and nothing is asked about it', async () => {
      const person = await ground.person()
      const { session } = await subscribe(person)
      const { body } = stripe.event('checkout.session.completed', session)
      const asked = stripe.requests.length
      expect(await send({ body, signature: 't=1,v1=00' })).toBe(400)
      const { signature } = stripe.event('checkout.session.completed', {})
      expect(await send({ body, signature })).toBe(400)
      expect(stripe.requests).toHaveLength(asked)
      expect(await planOf(person)).toBe('free')
    })

    test('that was signed more than five minutes ago is refused: somebody may have kept it', async () => {
      const person = await ground.person()
      const { session } = await subscribe(person)
      const sixMinutes = 6 * 60_000
      const old = stripe.event('checkout.session.completed', session, Date.now() - sixMinutes)
      expect(await send(old)).toBe(400)
      expect(await planOf(person)).toBe('free')
    })

    test('that cannot be looked up is answered as an error, so that it comes again', async () => {
      const person = await ground.person()
      const { session } = await subscribe(person)
      const event = stripe.event('checkout.session.completed', session)
      stripe.isDown = true
      expect(await send(event)).toBe(500)
      stripe.isDown = false
      expect(await send(event)).toBe(200)
      expect(await planOf(person)).toBe('builder')
    })

    test('that is nothing to us is thanked for', async () => {
      await tell('customer.created', { id: 'cus_x' })
      await tell('invoice.paid', { parent: null })
      await tell('customer.subscription.updated', { id: 'sub_unknown' })
    })

    test('of another provider has no address', async () => {
      const response = await hooksSurface(ground.ctx).request('/hooks/billing/other', {
        method: 'POST',
      })
      expect(response.status).toBe(404)
    })
  })

  test('what is not sold, or cannot be reached, is said so', async () => {
    const person = await ground.person()
    const start = (item: Parameters<typeof startCheckout>[2]) =>
      outcomeOf(startCheckout(ground.ctx, person, item))
    expect(await start({ kind: 'plan', plan: 'enterprise' })).toBe('not_for_sale')
    expect(await start({ kind: 'credits', credits: 999 })).toBe('not_for_sale')
    stripe.isDown = true
    expect(await start({ kind: 'plan', plan: 'builder' })).toBe('billing_unavailable')
    stripe.isDown = false
  })
})
