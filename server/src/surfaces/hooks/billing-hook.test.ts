import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAuditEvents } from '#features/audit/index.ts'
import { openBillingPortal, syncSubscriptions } from '#features/subscriptions/index.ts'
import { describeInstance, type Person } from '#test/support/test-instance.ts'
import {
  builderPlan,
  openPlanSale,
  packOfCredits,
  studioPlan,
  type PlanSale,
} from '#test/support/commerce/plan-sale.ts'
import { itemOf } from '#test/support/servers/stripe-billing-server.ts'
import { outcomeOf } from '#test/support/chat/credit-turns.ts'
import { hooksSurface } from './index.ts'

describeInstance('plans and credits sold through Stripe', (open) => {
  let sale: PlanSale

  beforeAll(async () => {
    sale = await openPlanSale(open)
  })
  afterAll(() => sale.stripe.stop())

  const subscribe = async (person: Person) => {
    const { session, subscription } = await sale.buy(person, builderPlan)
    return { session, subscription: subscription! }
  }
  const start = (person: Person, item: Parameters<PlanSale['page']>[1]) =>
    outcomeOf(sale.page(person, item))

  describe('a plan', () => {
    test('is bought on a page of Stripe, with the workspace and the id of the checkout', async () => {
      const person = await sale.instance.person()
      await sale.page(person, builderPlan)
      const { parameters, idempotencyKey } = sale.stripe.requests.at(-1)!
      expect(parameters).toMatchObject({
        mode: 'subscription',
        'line_items[0][price]': 'price_builder',
        'line_items[0][quantity]': '1',
        'subscription_data[metadata][workspace_id]': person.workspaceId,
        customer_email: person.email,
        client_reference_id: idempotencyKey,
      })
      expect(await sale.planOf(person)).toBe('free')
    })

    test('starts with Stripe’s event, with its credits, and ends with the subscription', async () => {
      const person = await sale.instance.person()
      const { session, subscription } = await subscribe(person)
      await sale.sendEvent('checkout.session.completed', session)
      expect(await sale.planOf(person)).toBe('builder')
      expect(await sale.balanceOf(person)).toBe(100)
      expect(await start(person, studioPlan)).toBe('subscribed_already')
      sale.stripe.change(subscription.id, { status: 'canceled' })
      await sale.sendEvent('customer.subscription.deleted', subscription)
      expect(await sale.planOf(person)).toBe('free')
    })

    test('is in the audit log of its workspace, with each plan before and after', async () => {
      const person = await sale.instance.person()
      const { session, subscription } = await subscribe(person)
      await sale.sendEvent('checkout.session.completed', session)
      await sale.sendEvent('customer.subscription.created', subscription)
      sale.stripe.change(subscription.id, { status: 'canceled' })
      await sale.sendEvent('customer.subscription.deleted', subscription)
      const filter = { workspaceId: person.workspaceId, action: 'billing.change_plan' }
      const { items } = await listAuditEvents(sale.instance.ctx, filter, { limit: 10 })
      const detail = (status: string) => ({ subscription_id: subscription.id, status })
      const [free, builder] = [{ plan: 'free' }, { plan: 'builder' }]
      expect(items).toMatchObject([
        { actor: null, before: builder, after: free, detail: detail('canceled') },
        { actor: null, before: free, after: builder, detail: detail('active') },
      ])
    })

    test('follows the current state at Stripe, not a late event', async () => {
      const person = await sale.instance.person()
      const { subscription } = await subscribe(person)
      const early = sale.stripe.event('customer.subscription.created', { ...subscription })
      sale.stripe.change(subscription.id, { items: { data: [itemOf('price_studio')] } })
      await sale.sendEvent('customer.subscription.updated', subscription)
      expect(await sale.planOf(person)).toBe('studio')
      expect(await sale.send(early)).toBe(200)
      expect(await sale.planOf(person)).toBe('studio')
    })

    test('that is paid late is active, and one that is never paid is not', async () => {
      const person = await sale.instance.person()
      const { subscription } = await subscribe(person)
      const invoice = { parent: { subscription_details: { subscription: subscription.id } } }
      await sale.sendEvent('invoice.paid', invoice)
      expect(await sale.planOf(person)).toBe('builder')
      sale.stripe.change(subscription.id, { status: 'past_due' })
      await sale.sendEvent('invoice.payment_failed', invoice)
      expect(await sale.planOf(person)).toBe('builder')
      sale.stripe.change(subscription.id, { status: 'unpaid' })
      await sale.sendEvent('customer.subscription.updated', subscription)
      expect(await sale.planOf(person)).toBe('free')
    })

    test('that was never paid does not replace a plan set by an operator', async () => {
      const person = await sale.instance.person({ plan: 'enterprise' })
      const { subscription } = await sale.buy(person, builderPlan, { paid: false })
      await sale.sendEvent('customer.subscription.created', subscription)
      expect(await sale.planOf(person)).toBe('enterprise')
    })

    test('whose events are lost is looked up', async () => {
      const person = await sale.instance.person()
      const { session, subscription } = await subscribe(person)
      await sale.sendEvent('checkout.session.completed', session)
      sale.stripe.change(subscription.id, { status: 'canceled' })
      sale.instance.advance(24 * 60 * 60 * 1000)
      const job = syncSubscriptions
      await sale.run(job, {})
      expect(await sale.planOf(person)).toBe('free')
    })
  })

  describe('a pack of credits', () => {
    const buyPack = async (person: Person, paid = true) =>
      (await sale.buy(person, packOfCredits, { paid })).session

    test('is credited once, however many events arrive at the same time', async () => {
      const person = await sale.instance.person()
      const session = await buyPack(person)
      const event = sale.stripe.event('checkout.session.completed', session)
      const other = sale.stripe.event('checkout.session.async_payment_succeeded', session)
      const statuses = await Promise.all([event, event, other, event].map(sale.send))
      expect(statuses).toEqual([200, 200, 200, 200])
      expect(await sale.balanceOf(person)).toBe(1000)
    })

    test('is credited when it is paid, not when it is ordered', async () => {
      const person = await sale.instance.person()
      const session = await buyPack(person, false)
      await sale.sendEvent('checkout.session.completed', session)
      expect(await sale.balanceOf(person)).toBe(0)
      session.payment_status = 'paid'
      await sale.sendEvent('checkout.session.async_payment_succeeded', session)
      expect(await sale.balanceOf(person)).toBe(1000)
    })

    test('opens the portal to its buyer, and makes the next checkout theirs', async () => {
      const person = await sale.instance.person()
      const portal = () => openBillingPortal(sale.instance.ctx, person.workspaceId)
      expect(await outcomeOf(portal())).toBe('no_billing_account')
      const session = await buyPack(person)
      await sale.sendEvent('checkout.session.completed', session)
      expect(await portal()).toEqual({ url: `https://portal/${session.customer}` })
      await subscribe(person)
      const creations = sale.stripe.requests.filter(({ path }) => path === '/v1/checkout/sessions')
      expect(creations.at(-1)?.parameters.customer).toBe(session.customer)
    })
  })

  describe('an event', () => {
    test('with an invalid signature is refused without a look-up', async () => {
      const person = await sale.instance.person()
      const { session } = await subscribe(person)
      const { body } = sale.stripe.event('checkout.session.completed', session)
      const asked = sale.stripe.requests.length
      expect(await sale.send({ body, signature: 't=1,v1=00' })).toBe(400)
      const { signature } = sale.stripe.event('checkout.session.completed', {})
      expect(await sale.send({ body, signature })).toBe(400)
      expect(sale.stripe.requests).toHaveLength(asked)
      expect(await sale.planOf(person)).toBe('free')
    })

    test('that was signed more than five minutes ago is refused: it may be replayed', async () => {
      const person = await sale.instance.person()
      const { session } = await subscribe(person)
      const sixMinutes = 6 * 60_000
      const old = sale.stripe.event('checkout.session.completed', session, Date.now() - sixMinutes)
      expect(await sale.send(old)).toBe(400)
      expect(await sale.planOf(person)).toBe('free')
    })

    test('that cannot be looked up gets an error, so that Stripe repeats it', async () => {
      const person = await sale.instance.person()
      const { session } = await subscribe(person)
      const event = sale.stripe.event('checkout.session.completed', session)
      sale.stripe.isDown = true
      expect(await sale.send(event)).toBe(500)
      sale.stripe.isDown = false
      expect(await sale.send(event)).toBe(200)
      expect(await sale.planOf(person)).toBe('builder')
    })

    test('that is irrelevant is accepted', async () => {
      await sale.sendEvent('customer.created', { id: 'cus_x' })
      await sale.sendEvent('invoice.paid', { parent: null })
      await sale.sendEvent('customer.subscription.updated', { id: 'sub_unknown' })
    })

    test('of another provider gets 404', async () => {
      const response = await hooksSurface(sale.instance.ctx).request('/hooks/billing/other', {
        method: 'POST',
      })
      expect(response.status).toBe(404)
    })
  })

  test('an item that is not sold and an unreachable provider are reported', async () => {
    const person = await sale.instance.person()
    expect(await start(person, { kind: 'plan', plan: 'enterprise' })).toBe('not_for_sale')
    expect(await start(person, { kind: 'credits', credits: 999 })).toBe('not_for_sale')
    sale.stripe.isDown = true
    expect(await start(person, builderPlan)).toBe('billing_unavailable')
    sale.stripe.isDown = false
  })
})
