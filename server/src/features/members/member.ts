import type { Role } from '#kernel/actor.ts'
import { roleFromRow } from '#features/workspaces/index.ts'
import type { MemberRow } from './member-store.ts'

/** A person in a workspace. */
export interface Member {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly joinedAt: number
}

export function memberFromRow(row: MemberRow): Member {
  return {
    userId: row.user_id,
    name: row.name,
    email: row.email,
    role: roleFromRow(row.role),
    joinedAt: row.created_at,
  }
}
