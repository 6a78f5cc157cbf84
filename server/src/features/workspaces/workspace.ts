import { roles, type Role } from '#kernel/actor.ts'
import { isPlan, planNames, type Plan } from '#kernel/plan.ts'
import type { Config } from '#config'
import type { MemberWorkspaceRow } from './store.ts'

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  /** The role of the person who asked. */
  readonly role: Role
  /** The owner whose workspaces share the included credits. */
  readonly billingUserId: string | null
  /** True when the plan was bought or assigned by an operator. */
  readonly planIsOwn: boolean
  /** Whether its owners may do nothing in it without a second factor. */
  readonly ownersNeedSecondFactor: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export function workspaceFromRow(row: MemberWorkspaceRow): Workspace {
  return {
    id: row.id,
    name: row.name,
    plan: planFromRow(row.plan),
    role: roleFromRow(row.role),
    billingUserId: row.billing_user_id,
    planIsOwn: row.plan_is_own === 1,
    ownersNeedSecondFactor: row.owners_need_second_factor === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** @throws Error for a plan that this version does not know: another version wrote the row. */
export function planFromRow(plan: string): Plan {
  if (isPlan(plan)) return plan
  throw new Error(`Unknown plan in the database: ${plan}`)
}

/** @throws Error for a role that this version does not know. */
export function roleFromRow(role: string): Role {
  const known = roles.find((name) => name === role)
  if (known !== undefined) return known
  throw new Error(`Unknown role in the database: ${role}`)
}

/**
 * Whether a workspace shares its plan's credits and rates with its billing owner's other workspaces:
 * those on a plan that anyone gets, up to the plan of new workspaces, unless it was bought or assigned.
 */
export function isOnSharedPlan(
  { defaultPlan }: Pick<Config, 'defaultPlan'>,
  { plan, planIsOwn }: Pick<Workspace, 'plan' | 'planIsOwn'>,
): boolean {
  return !planIsOwn && planNames.indexOf(plan) <= planNames.indexOf(defaultPlan)
}

/**
 * Names whose MCP rate limit a request in a workspace counts towards: the workspace's own, or, on a
 * shared plan, the one that all workspaces of its billing owner share.
 */
export function rateHolder(
  config: Pick<Config, 'defaultPlan'>,
  workspace: Pick<Workspace, 'id' | 'plan' | 'planIsOwn' | 'billingUserId'>,
): string {
  const { id, billingUserId } = workspace
  if (billingUserId === null || !isOnSharedPlan(config, workspace)) return id
  return `owner:${billingUserId}`
}
