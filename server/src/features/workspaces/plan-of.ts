import { commonFaults, Fault } from '#kernel/fault.ts'
import { plans, type Plan, type PlanLimits } from '#kernel/plan.ts'
import type { Reader } from '#platform/db/database.ts'
import { planFromRow } from './workspace.ts'
import { findPlan } from './store.ts'
import { workspaceFaults } from './workspace-faults.ts'

/**
 * A step: the plan of a live workspace.
 *
 * @throws Fault record_not_found when the workspace is deleted or unknown
 */
export async function planOf(reader: Reader, workspaceId: string): Promise<Plan> {
  const plan = await findPlan(reader, workspaceId)
  if (plan === undefined) throw new Fault(commonFaults.record_not_found)
  return planFromRow(plan)
}

type CountedLimit = 'agents' | 'sourcesPerAgent' | 'members'

/**
 * A step: refuses one more record than the plan allows. Belongs in the unit that adds the record, so
 * that two callers cannot both take the last slot.
 *
 * @param count how many there are now; called only if the plan has a limit
 * @throws Fault plan_limit_reached
 */
export async function requireRoom(
  tx: Reader,
  workspaceId: string,
  resource: CountedLimit,
  count: () => Promise<number>,
): Promise<void> {
  const plan = await planOf(tx, workspaceId)
  const limits: PlanLimits = plans[plan]
  const allowed = limits[resource]
  if (allowed === null || (await count()) < allowed) return
  throw new Fault(workspaceFaults.plan_limit_reached, { resource, allowed, plan })
}
