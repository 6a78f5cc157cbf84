import { putOnPlan, getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { planNames, type Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireOperator } from './operator.ts'
import { includedMicros } from './turn-credits.ts'
import { closeBalance } from './open-windows.ts'
import { findPlan } from './plan-store.ts'
import { settleMonth } from './settle-month.ts'
import { findBalance } from './window-store.ts'

type PlanContext = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * An owner puts their workspace on a plan. A smaller one takes nothing away: it only stops what
 * would go beyond it from now on. A plan beyond that of new workspaces, and any where plans are
 * sold, is the operator's to give.
 *
 * @throws Fault operator_required
 */
export function changePlan(
  ctx: PlanContext,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  { plan }: { readonly plan: Plan },
): Promise<Workspace> {
  const { billingPlanPrices, defaultPlan } = ctx.config
  const isSold = Object.keys(billingPlanPrices).length > 0
  const isBeyond = planNames.indexOf(plan) > planNames.indexOf(defaultPlan)
  return ctx.db.write(async (tx) => {
    if (isSold || isBeyond) await requireOperator(tx, userId)
    await applyPlan(tx, ctx, workspaceId, plan)
    return await getWorkspace(tx, userId, workspaceId)
  })
}

/**
 * The operator puts any workspace on any plan.
 *
 * @throws Fault operator_required, record_not_found
 */
export function assignPlan(
  ctx: PlanContext,
  userId: string,
  { workspaceId, plan }: { readonly workspaceId: string; readonly plan: Plan },
): Promise<void> {
  return ctx.db.write(async (tx) => {
    await requireOperator(tx, userId)
    if ((await findPlan(tx, workspaceId)) === undefined)
      throw new Fault(commonFaults.record_not_found)
    await applyPlan(tx, ctx, workspaceId, plan)
  })
}

/** A step: a workspace is on a plan, and has the credits of it. */
export async function applyPlan(
  tx: Tx,
  { config, clock }: Pick<Context, 'clock' | 'config'>,
  workspaceId: string,
  plan: Plan,
): Promise<void> {
  const now = clock.now()
  await putOnPlan(tx, now, workspaceId, plan)
  const included = includedMicros(config, plan)
  // What is used without end is counted no more; a balance that is not counted yet begins by itself.
  if (included === null) await closeBalance(tx, workspaceId, now)
  else if ((await findBalance(tx, workspaceId)) !== undefined)
    await settleMonth(tx, workspaceId, included, now)
}
