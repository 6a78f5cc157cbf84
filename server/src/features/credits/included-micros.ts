import { plans, type Plan, type PlanLimits } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import { microsPerCredit } from './credit-entry.ts'

/** The credits that a plan includes each month, in micros; null is unlimited. */
export function includedMicros(
  { planCredits }: Pick<Context['config'], 'planCredits'>,
  plan: Plan,
): number | null {
  const limits: PlanLimits = plans[plan]
  const credits = planCredits[plan] === undefined ? limits.includedCredits : planCredits[plan]
  return credits === null ? null : credits * microsPerCredit
}
