import type { Role } from '#kernel/actor.ts'
import type { Plan } from '#kernel/plan.ts'

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  /** The role of the person who asked. */
  readonly role: Role
  readonly createdAt: number
  readonly updatedAt: number
}
