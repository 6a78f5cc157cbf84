import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditEvents } from '#features/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { describeGround, type Ground } from '#test/support/ground.ts'
import {
  billingWebhookSecret,
  startStripeBillingServer,
  type StripeBillingServer,
} from '#test/support/stripe-billing-server.ts'
import { endExtraSubscription } from './end-extra-subscription.ts'
import { noteBillingEvent } from './note-billing-event.ts'
import { startCheckout } from './start-checkout.ts'

describeGround('a second subscription', (open) => {
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

  test('that a process ended which died before it said so is in the audit log', async () => {
    const { ctx } = ground
    const person = await ground.person()
    const { workspaceId } = person
    const page = async () =>
      (await startCheckout(ctx, person, { kind: 'plan', plan: 'builder' })).url
    const pages = [await page(), await page()] as const
    stripe.reopen(pages[0])
    const [first, second] = pages.map((url) => stripe.buy(url).subscription!.id)
    const subscription = await ctx.billing!.findSubscription(first!)
    const event = { id: 'event', type: 'told', checkout: null, subscription, refunds: [] }
    await noteBillingEvent(ctx, event, ctx.clock.now())

    const input = { workspaceId, subscriptionId: second! }
    const end = (by: Context, attempt: number) => {
      const { signal } = new AbortController()
      return endExtraSubscription.run(by, input, { id: 'x', attempt, isLast: false, signal })
    }
    const dying = { ...ctx.db, write: () => Promise.reject(new Error('the process is gone')) }
    await expect(end({ ...ctx, db: dying }, 1)).rejects.toThrow('the process is gone')
    expect(await ctx.billing!.findSubscription(second!)).toMatchObject({ isLive: false })
    await end(ctx, 2)
    const filter = { workspaceId, action: endExtraSubscription.kind }
    const { items } = await listAuditEvents(ctx, filter, { limit: 10 })
    expect(items).toMatchObject([{ target: second }])
    expect(await ctx.billing!.findSubscription(first!)).toMatchObject({ isLive: true })
  })
})
