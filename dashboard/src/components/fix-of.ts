import { OperationError } from '#api/operation-error.ts'

/** The page on which an error can be fixed; `label` is a text of `common.error.fixes`. */
export interface Fix {
  readonly to:
    | '/settings/billing'
    | '/settings/members'
    | '/settings/providers'
    | '/settings/workspace'
    | '/account/second-factor'
  readonly label: 'billing' | 'members' | 'providers' | 'limits' | 'secondFactor'
}

const billing: Fix = { to: '/settings/billing', label: 'billing' }
const members: Fix = { to: '/settings/members', label: 'members' }
const providers: Fix = { to: '/settings/providers', label: 'providers' }
const limits: Fix = { to: '/settings/workspace', label: 'limits' }
const secondFactor: Fix = { to: '/account/second-factor', label: 'secondFactor' }

const fixes: ReadonlyMap<string, Fix> = new Map([
  ['credits_used_up', billing],
  ['credit_cap_reached', billing],
  ['plan_limit_reached', billing],
  ['subscribed_already', billing],
  ['subscription_running', billing],
  ['last_owner', members],
  ['already_invited', members],
  ['already_member', members],
  ['member_without_factor', members],
  ['limit_reached', limits],
  ['model_not_configured', providers],
  ['model_rejected', providers],
  ['model_unreachable', providers],
  ['model_limited', providers],
  ['own_factor_missing', secondFactor],
  ['second_factor_required', secondFactor],
])

/** Where a person fixes what an error reports; null if no page does. */
export function fixOf(error: unknown): Fix | null {
  return error instanceof OperationError ? fixOfCode(error.code) : null
}

export function fixOfCode(code: string): Fix | null {
  return fixes.get(code) ?? null
}
