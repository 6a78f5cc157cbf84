import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditEvents } from '#features/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { builderPlan, openPlanSale, type PlanSale } from '#test/support/commerce/plan-sale.ts'
import { endExtraSubscription } from './end-extra-subscription.ts'

describeInstance('a second subscription', (open) => {
  let sale: PlanSale

  beforeAll(async () => {
    sale = await openPlanSale(open)
  })
  afterAll(() => sale.stripe.stop())

  test('cancelled by a process that then died is still in the audit log', async () => {
    const { ctx } = sale.instance
    const person = await sale.instance.person()
    const { workspaceId } = person
    const pages = [await sale.page(person, builderPlan), await sale.page(person, builderPlan)]
    sale.stripe.reopen(pages[0]!)
    const [first, second] = pages.map((url) => sale.stripe.buy(url).subscription!)
    await sale.sendEvent('customer.subscription.created', first)

    const input = { workspaceId, subscriptionId: second!.id }
    const end = (by: Context, attempt: number) => {
      const { signal } = new AbortController()
      return endExtraSubscription.run(by, input, { id: 'x', attempt, isLast: false, signal })
    }
    const dying = { ...ctx.db, write: () => Promise.reject(new Error('the process is gone')) }
    await expect(end({ ...ctx, db: dying }, 1)).rejects.toThrow('the process is gone')
    expect(await ctx.billing!.findSubscription(second!.id)).toMatchObject({ isLive: false })
    await end(ctx, 2)
    const filter = { workspaceId, action: endExtraSubscription.kind }
    const { items } = await listAuditEvents(ctx, filter, { limit: 10 })
    expect(items).toMatchObject([{ target: second!.id }])
    expect(await ctx.billing!.findSubscription(first!.id)).toMatchObject({ isLive: true })
  })
})
