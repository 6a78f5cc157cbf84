import { putOnPlan, getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { includedMicros, planNames, type Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireOperator } from './operator.ts'
import { closeBalance } from './open-windows.ts'
import { findPlan } from './plan-store.ts'
import { settleMonth } from './settle-month.ts'
import { findBalance } from './window-store.ts'

type PlanContext = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * An owner puts their workspace on a plan. A smaller plan deletes nothing; it only blocks further use
 * beyond its limits. Only the operator can assign a plan larger than that of new workspaces or, where
 * plans are sold, any plan.
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
    await applyPlan(tx, ctx, workspaceId, { plan, isOwn: isBeyond })
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
    await applyPlan(tx, ctx, workspaceId, { plan, isOwn: true })
  })
}

/**
 * A step: puts a workspace on a plan with its credits.
 *
 * @param isOwn true for a plan that was bought or that an operator assigned: its credits are not shared
 *   with other workspaces of the same owner
 */
export async function applyPlan(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  workspaceId: string,
  { plan, isOwn }: { readonly plan: Plan; readonly isOwn: boolean },
): Promise<void> {
  const now = ctx.clock.now()
  await putOnPlan(tx, now, workspaceId, plan, isOwn)
  const included = includedMicros(ctx.config, plan)
  // Unlimited credits have no balance; a missing balance is opened by the next turn or job.
  if (included === null) await closeBalance(tx, workspaceId, now)
  else if ((await findBalance(tx, workspaceId)) !== undefined)
    await settleMonth(tx, ctx, workspaceId, included)
}
