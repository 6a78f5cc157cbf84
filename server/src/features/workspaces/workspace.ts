import { roles, type Role } from '#kernel/actor.ts'
import { isPlan, type Plan } from '#kernel/plan.ts'
import type { MemberWorkspaceRow } from './store.ts'

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  /** The role of the person who asked. */
  readonly role: Role
  readonly createdAt: number
  readonly updatedAt: number
}

export function workspaceFromRow(row: MemberWorkspaceRow): Workspace {
  return {
    id: row.id,
    name: row.name,
    plan: planFromRow(row.plan),
    role: roleFromRow(row.role),
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
