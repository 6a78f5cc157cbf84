import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type Person } from '#test/support/test-instance.ts'
import { builderPlan, openPlanSale, type PlanSale } from '#test/support/commerce/plan-sale.ts'
import { syncSubscriptions } from './sync-subscriptions.ts'

describeInstance('a subscription whose events were lost', (open) => {
  let sale: PlanSale

  beforeAll(async () => {
    sale = await openPlanSale(open)
  })
  afterAll(() => sale.stripe.stop())

  async function subscribe(person: Person): Promise<string> {
    const { subscription } = await sale.buy(person, builderPlan)
    await sale.sendEvent('customer.subscription.created', subscription)
    return subscription!.id
  }

  /** As many subscriptions as one run looks at, none of which the provider knows. */
  async function crowd(deletedAt: number | null): Promise<void> {
    const ids = Array.from({ length: 100 }, () => newId())
    const times = { created_at: 1, updated_at: 1 }
    const none = { period_starts_at: null, period_ends_at: null, cancels_at: null }
    await sale.instance.ctx.db.write(async (tx) => {
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

  test.each([
    ['of deleted workspaces', 1, 1],
    ['that the provider does not know', null, 2],
  ])('does not wait for ever behind many %s', async (_, deletedAt, runs) => {
    const person = await sale.instance.person()
    const id = await subscribe(person)
    await crowd(deletedAt)
    sale.stripe.change(id, { status: 'canceled' })
    sale.instance.advance(dayMs)
    for (let run = 0; run < runs; run += 1) await sale.run(syncSubscriptions, {})
    expect(await sale.planOf(person)).toBe('free')
  })

  test('keeps its plan if the provider does not have it: the keys may belong to another account', async () => {
    const person = await sale.instance.person()
    sale.stripe.forget(await subscribe(person))
    sale.instance.advance(dayMs)
    for (let run = 0; run < 2; run += 1) await sale.run(syncSubscriptions, {})
    expect(await sale.planOf(person)).toBe('builder')
  })
})
