import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditEvents } from '#features/audit/index.ts'
import { billingJobs, startCheckout } from '#features/billing/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { describeGround, type Ground, type Person } from '#test/support/ground.ts'
import {
  billingWebhookSecret,
  startStripeBillingServer,
  type Bought,
  type StripeBillingServer,
  type StripeSubscription,
} from '#test/support/stripe-billing-server.ts'
import { outcomeOf } from '#test/support/spending.ts'
import { hooksSurface } from './index.ts'

/** Somebody has two pages open on which a plan of one workspace can be bought. */
describeGround('a plan that is bought twice', (open) => {
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
      DEFAULT_PLAN: 'free',
    })
  })
  afterAll(() => stripe.stop())

  const tell = async (type: string, object: unknown) => {
    const { body, signature } = stripe.event(type, object)
    const headers = { 'stripe-signature': signature }
    const request = { method: 'POST', body, headers }
    const response = await hooksSurface(ground.ctx).request('/hooks/billing/stripe', request)
    expect(response.status).toBe(200)
  }
  const page = async (person: Person, plan: 'builder' | 'studio') =>
    (await startCheckout(ground.ctx, person, { kind: 'plan', plan })).url
  const planOf = async (person: Person) =>
    (await getWorkspace(ground.ctx, person.userId, person.workspaceId)).plan
  /** What is enqueued for a workspace of extra subscriptions, done. */
  const settle = async ({ workspaceId }: Person) => {
    const job = billingJobs.find(({ kind }) => kind === 'billing.end_extra_subscription')!
    const rows = await ground.ctx.db.read
      .selectFrom('jobs')
      .select('input_json')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', job.kind)
      .execute()
    const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
    for (const { input_json } of rows)
      await job.run(ground.ctx, job.input.parse(JSON.parse(input_json)), run)
    return rows.length
  }
  /** Two plans paid, as when the first page is paid while the second one is opened. */
  const buyTwice = async (person: Person) => {
    const [first, second] = [await page(person, 'builder'), await page(person, 'studio')]
    stripe.reopen(first)
    return [stripe.buy(first), stripe.buy(second)] as const
  }
  const subscriptionOf = ({ subscription }: Bought): StripeSubscription => subscription!

  test('cannot be: the page that was opened last is the one that sells', async () => {
    const person = await ground.person()
    const first = await page(person, 'builder')
    const second = await page(person, 'studio')
    expect(() => stripe.buy(first)).toThrow()
    const { session } = stripe.buy(second)
    await tell('checkout.session.completed', session)
    expect(await planOf(person)).toBe('studio')
  })

  test('can be bought although the provider knows nothing of an earlier page: its key was changed', async () => {
    const person = await ground.person()
    stripe.forget((await page(person, 'builder')).split('/').at(-1)!)
    const { session } = stripe.buy(await page(person, 'studio'))
    await tell('checkout.session.completed', session)
    expect(await planOf(person)).toBe('studio')
  })

  test('cannot be on pages that are opened at once either', async () => {
    const person = await ground.person()
    const plans = ['builder', 'studio'] as const
    const pages = await Promise.all(plans.map((plan) => page(person, plan)))
    const sold = pages.filter((url) => {
      try {
        return stripe.buy(url).subscription !== null
      } catch {
        return false
      }
    })
    expect(sold).toHaveLength(1)
  })

  test('cannot be on a page opened after the first was paid, though Stripe has not told of it', async () => {
    const person = await ground.person()
    const { subscription } = stripe.buy(await page(person, 'builder'))
    expect(await outcomeOf(page(person, 'studio'))).toBe('subscribed_already')
    expect(await planOf(person)).toBe('builder')
    // It is Stripe's word that counts: what has ended again is no hindrance.
    const other = await ground.person()
    const ended = stripe.buy(await page(other, 'builder'))
    stripe.change(subscriptionOf(ended).id, { status: 'canceled' })
    expect(await outcomeOf(page(other, 'studio'))).toBe('done')
    expect(subscription?.status).toBe('active')
  })

  test('closes no page where credits are sold', async () => {
    const person = await ground.person()
    const pack = await startCheckout(ground.ctx, person, { kind: 'credits', credits: 1000 })
    await page(person, 'builder')
    expect(stripe.buy(pack.url).session.status).toBe('complete')
  })

  test('all the same is paid once: the second subscription is ended', async () => {
    const person = await ground.person()
    const [first, second] = await buyTwice(person)
    await tell('checkout.session.completed', first.session)
    await tell('checkout.session.completed', second.session)
    await tell('customer.subscription.created', second.subscription)
    expect(await planOf(person)).toBe('builder')
    expect(await settle(person)).toBe(1)
    expect(first.subscription?.status).toBe('active')
    expect(second.subscription?.status).toBe('canceled')
    await tell('customer.subscription.deleted', second.subscription)
    expect(await planOf(person)).toBe('builder')
    const action = 'billing.end_extra_subscription'
    const filter = { workspaceId: person.workspaceId, action }
    const { items } = await listAuditEvents(ground.ctx, filter, { limit: 10 })
    expect(items).toMatchObject([{ target: subscriptionOf(second).id }])
    // Done again, as a job may be, it ends nothing more.
    await settle(person)
    expect(first.subscription?.status).toBe('active')
  })

  test.each([
    ['has ended', (id: string) => stripe.change(id, { status: 'canceled' })],
    ['is gone', (id: string) => stripe.forget(id)],
  ])('takes the second where the first %s meanwhile', async (_, end) => {
    const person = await ground.person()
    const [first, second] = await buyTwice(person)
    await tell('checkout.session.completed', first.session)
    await tell('checkout.session.completed', second.session)
    end(subscriptionOf(first).id)
    await settle(person)
    expect(second.subscription?.status).toBe('active')
    expect(await planOf(person)).toBe('studio')
  })
})
