import { expect } from 'vitest'
import { getCredits } from '#features/credits/index.ts'
import { startCheckout } from '#features/subscriptions/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import type { Job } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { hooksSurface } from '#surfaces/hooks/index.ts'
import type { TestInstance, OpenInstance, Person } from '#test/support/test-instance.ts'
import {
  billingWebhookSecret,
  startStripeBillingServer,
  type Bought,
  type StripeBillingServer,
} from '#test/support/servers/stripe-billing-server.ts'

type Item = Parameters<typeof startCheckout>[2]

/**
 * A service that sells plans and credits through Stripe's official package and a server on
 * loopback.
 */
export interface PlanSale {
  readonly instance: TestInstance
  readonly stripe: StripeBillingServer
  /** The address of the checkout page for the item. */
  page(person: Person, item: Item): Promise<string>
  buy(person: Person, item: Item, how?: { readonly paid: boolean }): Promise<Bought>
  /** Sends an event from Stripe. @returns the status of our response */
  send(event: { readonly body: string; readonly signature: string }): Promise<number>
  /** The same, and expects a success status. */
  sendEvent(type: string, object: unknown): Promise<void>
  run<Input>(job: Job<Input, Context>, input: Input): Promise<void>
  planOf(person: Person): Promise<string>
  /** In credits. */
  balanceOf(person: Person): Promise<number>
}

export const builderPlan = { kind: 'plan', plan: 'builder' } as const
export const studioPlan = { kind: 'plan', plan: 'studio' } as const
export const packOfCredits = { kind: 'credits', credits: 1000 } as const

/** The caller stops the server. */
export async function openPlanSale(open: OpenInstance): Promise<PlanSale> {
  const stripe = await startStripeBillingServer()
  const instance = await open({
    STRIPE_SECRET_KEY: 'sk_live_of_nobody',
    STRIPE_API_BASE: stripe.baseUrl,
    BILLING_WEBHOOK_SECRET: billingWebhookSecret,
    BILLING_PLAN_PRICES: 'builder=price_builder,studio=price_studio',
    BILLING_CREDIT_PACKS: '1000=price_pack',
    PLAN_CREDITS: 'free=0,builder=100,studio=500',
    DEFAULT_PLAN: 'free',
  })
  const { ctx } = instance
  const page: PlanSale['page'] = async (person, item) =>
    (await startCheckout(ctx, person, item)).url
  const send: PlanSale['send'] = async ({ body, signature }) => {
    const headers = { 'stripe-signature': signature }
    const request = { method: 'POST', body, headers }
    return (await hooksSurface(ctx).request('/hooks/billing/stripe', request)).status
  }
  return {
    instance,
    stripe,
    page,
    buy: async (person, item, how) => stripe.buy(await page(person, item), how),
    send,
    async sendEvent(type, object) {
      expect(await send(stripe.event(type, object))).toBe(200)
    },
    async run(job, input) {
      const { signal } = new AbortController()
      await job.run(ctx, input, { id: 'x', attempt: 1, isLast: false, signal })
    },
    planOf: async ({ userId, workspaceId }) =>
      (await getWorkspace(ctx.db.read, userId, workspaceId)).plan,
    balanceOf: async ({ workspaceId }) =>
      ((await getCredits(ctx, workspaceId)).balanceMicros ?? 0) / 1_000_000,
  }
}
