import { roleIn } from '#features/workspaces/index.ts'
import { atLeast, type Role } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { memberFaults } from './member-faults.ts'

/** Who acts on whose membership, where. */
export interface MemberActor {
  readonly userId: string
  readonly workspaceId: string
}

/**
 * A step: the role that a person has now, which may not be the one they had when they were let in.
 *
 * @throws Fault record_not_found, permission_denied
 */
export async function requireRoleNow(tx: Tx, actor: MemberActor, needs: Role): Promise<Role> {
  const role = await roleIn(tx, actor.userId, actor.workspaceId)
  if (role === null) throw new Fault(commonFaults.record_not_found)
  if (!atLeast(role, needs)) throw new Fault(commonFaults.permission_denied, { role, needs })
  return role
}

/**
 * Owners give every role; admins make editors and viewers. Only an owner makes an admin.
 *
 * @throws Fault role_not_yours_to_give
 */
export function requireMayGive(role: Role, given: Role): void {
  if (role === 'owner' || !atLeast(given, 'admin')) return
  throw new Fault(memberFaults.role_not_yours_to_give, { role, given, needs: 'owner' })
}

/**
 * Owners change everybody's membership; admins that of editors and viewers.
 *
 * @throws Fault member_above_you
 */
export function requireMayChange(role: Role, theirs: Role): void {
  if (role === 'owner' || !atLeast(theirs, 'admin')) return
  throw new Fault(memberFaults.member_above_you, { role, theirs, needs: 'owner' })
}
