import { afterAll, beforeAll, expect, test } from 'vitest'
import { getWorkspace } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeGround, type Ground, type Person } from '#test/support/ground.ts'
import {
  billingWebhookSecret,
  startStripeBillingServer,
  type StripeBillingServer,
} from '#test/support/stripe-billing-server.ts'
import { billingJobs } from './billing-jobs.ts'
import { noteBillingEvent } from './note-billing-event.ts'
import { startCheckout } from './start-checkout.ts'

const day = 24 * 60 * 60 * 1000

describeGround('a subscription whose events were lost', (open) => {
  let ground: Ground
  let stripe: StripeBillingServer

  beforeAll(async () => {
    stripe = await startStripeBillingServer()
    ground = await open({
      STRIPE_SECRET_KEY: 'sk_live_of_nobody',
      STRIPE_API_BASE: stripe.baseUrl,
      BILLING_WEBHOOK_SECRET: billingWebhookSecret,
      BILLING_PLAN_PRICES: 'builder=price_builder',
      DEFAULT_PLAN: 'free',
    })
  })
  afterAll(() => stripe.stop())

  const planOf = async (person: Person) =>
    (await getWorkspace(ground.ctx, person.userId, person.workspaceId)).plan

  async function subscribe(person: Person): Promise<string> {
    const { ctx } = ground
    const { url } = await startCheckout(ctx, person, { kind: 'plan', plan: 'builder' })
    const id = stripe.buy(url).subscription!.id
    const subscription = await ctx.billing!.findSubscription(id)
    const event = { id: newId(), type: 'told', checkout: null, subscription, refunds: [] }
    await noteBillingEvent(ctx, event, ctx.clock.now())
    return id
  }

  /** As many subscriptions as one run looks at, none of which the provider knows. */
  async function crowd(deletedAt: number | null): Promise<void> {
    const ids = Array.from({ length: 100 }, () => newId())
    const times = { created_at: 1, updated_at: 1 }
    const none = { period_starts_at: null, period_ends_at: null, cancels_at: null }
    await ground.ctx.db.write(async (tx) => {
      for (const id of ids) {
        const workspace = { id, name: 'Crowd', plan: 'builder', deleted_at: deletedAt, ...times }
        await tx.insertInto('workspaces').values(workspace).execute()
        const paid = { status: 'active', plan: 'builder', ...none, ...times }
        const names = { workspace_id: id, customer_id: `cus ${id}`, subscription_id: `sub ${id}` }
        await tx
          .insertInto('subscriptions')
          .values({ ...names, ...paid })
          .execute()
      }
    })
  }

  async function sync(): Promise<void> {
    const job = billingJobs.find(({ kind }) => kind === 'billing.sync_subscriptions')!
    const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
    await job.run(ground.ctx, {}, run)
  }

  test.each([
    ['of deleted workspaces', 1, 1],
    ['that the provider does not know', null, 2],
  ])('does not wait for ever behind many %s', async (_, deletedAt, runs) => {
    const person = await ground.person()
    const id = await subscribe(person)
    await crowd(deletedAt)
    stripe.change(id, { status: 'canceled' })
    ground.advance(day)
    for (let run = 0; run < runs; run += 1) await sync()
    expect(await planOf(person)).toBe('free')
  })

  test('keeps its plan where the provider does not know it: keys of another account say nothing', async () => {
    const person = await ground.person()
    stripe.forget(await subscribe(person))
    ground.advance(day)
    for (let run = 0; run < 2; run += 1) await sync()
    expect(await planOf(person)).toBe('builder')
  })
})
