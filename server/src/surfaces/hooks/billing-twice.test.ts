import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditEvents } from '#features/audit/index.ts'
import { endExtraSubscription } from '#features/subscriptions/index.ts'
import { describeInstance, type Person } from '#test/support/test-instance.ts'
import {
  builderPlan,
  openPlanSale,
  packOfCredits,
  studioPlan,
  type PlanSale,
} from '#test/support/commerce/plan-sale.ts'
import type { Bought, StripeSubscription } from '#test/support/servers/stripe-billing-server.ts'
import { outcomeOf } from '#test/support/chat/credit-turns.ts'

/** A person has two pages open on which a plan for one workspace can be bought. */
describeInstance('a plan that is bought twice', (open) => {
  let sale: PlanSale

  beforeAll(async () => {
    sale = await openPlanSale(open)
  })
  afterAll(() => sale.stripe.stop())

  /** Runs the jobs for a workspace with extra subscriptions. */
  const settle = async ({ workspaceId }: Person) => {
    const job = endExtraSubscription
    const rows = await sale.instance.ctx.db.read
      .selectFrom('jobs')
      .select('input_json')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', job.kind)
      .execute()
    for (const { input_json } of rows) await sale.run(job, job.input.parse(JSON.parse(input_json)))
    return rows.length
  }
  /** Two plans paid, as when the first page is paid while the second one is opened. */
  const buyTwice = async (person: Person) => {
    const [first, second] = [
      await sale.page(person, builderPlan),
      await sale.page(person, studioPlan),
    ]
    sale.stripe.reopen(first)
    return [sale.stripe.buy(first), sale.stripe.buy(second)] as const
  }
  const subscriptionOf = ({ subscription }: Bought): StripeSubscription => subscription!

  test('is prevented: only the page opened last can sell', async () => {
    const person = await sale.instance.person()
    const first = await sale.page(person, builderPlan)
    const second = await sale.page(person, studioPlan)
    expect(() => sale.stripe.buy(first)).toThrow()
    const { session } = sale.stripe.buy(second)
    await sale.sendEvent('checkout.session.completed', session)
    expect(await sale.planOf(person)).toBe('studio')
  })

  test('can be bought although the provider knows nothing of an earlier page: its key was changed', async () => {
    const person = await sale.instance.person()
    sale.stripe.forget((await sale.page(person, builderPlan)).split('/').at(-1)!)
    const { session } = sale.stripe.buy(await sale.page(person, studioPlan))
    await sale.sendEvent('checkout.session.completed', session)
    expect(await sale.planOf(person)).toBe('studio')
  })

  test('cannot be on pages that are opened at once either', async () => {
    const person = await sale.instance.person()
    const plans = [builderPlan, studioPlan]
    const pages = await Promise.all(plans.map((plan) => sale.page(person, plan)))
    const sold = pages.filter((url) => {
      try {
        return sale.stripe.buy(url).subscription !== null
      } catch {
        return false
      }
    })
    expect(sold).toHaveLength(1)
  })

  test('cannot be on a page opened after the first was paid, though no event of Stripe has come yet', async () => {
    const person = await sale.instance.person()
    const { subscription } = sale.stripe.buy(await sale.page(person, builderPlan))
    expect(await outcomeOf(sale.page(person, studioPlan))).toBe('subscribed_already')
    expect(await sale.planOf(person)).toBe('builder')
    // It is Stripe's word that counts: what has ended again is no hindrance.
    const other = await sale.instance.person()
    const ended = sale.stripe.buy(await sale.page(other, builderPlan))
    sale.stripe.change(subscriptionOf(ended).id, { status: 'canceled' })
    expect(await outcomeOf(sale.page(other, studioPlan))).toBe('done')
    expect(subscription?.status).toBe('active')
  })

  test('does not close pages that sell credits', async () => {
    const person = await sale.instance.person()
    const pack = await sale.page(person, packOfCredits)
    await sale.page(person, builderPlan)
    expect(sale.stripe.buy(pack).session.status).toBe('complete')
  })

  test('is paid once: the second subscription is cancelled', async () => {
    const person = await sale.instance.person()
    const [first, second] = await buyTwice(person)
    await sale.sendEvent('checkout.session.completed', first.session)
    await sale.sendEvent('checkout.session.completed', second.session)
    await sale.sendEvent('customer.subscription.created', second.subscription)
    expect(await sale.planOf(person)).toBe('builder')
    expect(await settle(person)).toBe(1)
    expect(first.subscription?.status).toBe('active')
    expect(second.subscription?.status).toBe('canceled')
    await sale.sendEvent('customer.subscription.deleted', second.subscription)
    expect(await sale.planOf(person)).toBe('builder')
    const action = 'billing.end_extra_subscription'
    const filter = { workspaceId: person.workspaceId, action }
    const { items } = await listAuditEvents(sale.instance.ctx, filter, { limit: 10 })
    expect(items).toMatchObject([{ target: subscriptionOf(second).id }])
    // Done again, as a job may be, it ends nothing more.
    await settle(person)
    expect(first.subscription?.status).toBe('active')
  })

  test.each([
    ['has ended', (id: string) => sale.stripe.change(id, { status: 'canceled' })],
    ['is gone', (id: string) => sale.stripe.forget(id)],
  ])('takes the second where the first %s meanwhile', async (_, end) => {
    const person = await sale.instance.person()
    const [first, second] = await buyTwice(person)
    await sale.sendEvent('checkout.session.completed', first.session)
    await sale.sendEvent('checkout.session.completed', second.session)
    end(subscriptionOf(first).id)
    await settle(person)
    expect(second.subscription?.status).toBe('active')
    expect(await sale.planOf(person)).toBe('studio')
  })
})
