import { z } from 'zod'
import { rememberFirstWorkspace } from '#features/quotas/index.ts'
import { hourMs, minuteMs } from '#kernel/durations.ts'
import { defineJob, type Job } from '#kernel/job.ts'
import { includedMicros, planNames } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import { countDays } from './count-days.ts'
import { monthKey } from './ledger-store.ts'
import { closeBalance, openBalance } from './open-windows.ts'
import { monthName, monthsUntil } from './period.ts'
import { listWithBalance, listWithoutBalance, listWithoutEntry } from './plan-store.ts'
import { deleteLapsedReservations } from './reservation-store.ts'
import { monthsLookedBack, settleMonth } from './settle-month.ts'
import { deleteSharesBefore, setMissingBillingUsers } from './share-store.ts'
import { deleteWindowsBefore } from './window-store.ts'

/** The most workspaces of a plan that one run handles; the next run continues. */
const workspacesAtOnce = 200

/** Grants each month's credits, and opens or closes balances after a change of plan. */
const keepBalances = defineJob({
  kind: 'billing.keep_balances',
  input: z.object({}),
  everyMs: minuteMs,
  async run(ctx: Context) {
    await ctx.db.write((tx) => rememberFirstWorkspace(tx))
    await ctx.db.write((tx) => setMissingBillingUsers(tx))
    await openBalances(ctx)
    await grantMonth(ctx)
    await closeBalances(ctx)
  },
})

function limitedPlans({ config }: Context) {
  return planNames.flatMap((plan) => {
    const micros = includedMicros(config, plan)
    return micros === null ? [] : [{ plan, micros }]
  })
}

async function openBalances(ctx: Context): Promise<void> {
  for (const { plan, micros } of limitedPlans(ctx))
    for (const id of await listWithoutBalance(ctx.db.read, plan, workspacesAtOnce))
      await openBalance(ctx, id, micros)
}

async function grantMonth(ctx: Context): Promise<void> {
  const key = monthKey(monthName(ctx.clock.now()), 0)
  for (const { plan, micros } of limitedPlans(ctx)) {
    if (micros === 0) continue
    for (const id of await listWithoutEntry(ctx.db.read, plan, key, workspacesAtOnce))
      await ctx.db.write((tx) => settleMonth(tx, ctx, id, micros))
  }
}

async function closeBalances(ctx: Context): Promise<void> {
  const limited = new Set(limitedPlans(ctx).map(({ plan }) => plan))
  const unlimited = planNames.filter((plan) => !limited.has(plan))
  for (const id of await listWithBalance(ctx.db.read, unlimited, workspacesAtOnce))
    await ctx.db.write((tx) => closeBalance(tx, id, ctx.clock.now()))
}

/** Deletes lapsed reservations and windows that ended a week ago, which are no longer read. */
const sweepWindows = defineJob({
  kind: 'billing.sweep_windows',
  input: z.object({}),
  everyMs: hourMs,
  async run({ db, clock }: Context) {
    const now = clock.now()
    await db.write((tx) => deleteLapsedReservations(tx, now))
    await db.write((tx) => deleteWindowsBefore(tx, now - 7 * 24 * hourMs))
    const oldest = monthsUntil(now, monthsLookedBack).at(-1) ?? ''
    await db.write((tx) => deleteSharesBefore(tx, oldest))
  },
})

export const creditJobs: readonly Job<unknown, Context>[] = [keepBalances, sweepWindows, countDays]
