import { actingRoleIn, getWorkspace } from '#features/workspaces/index.ts'
import { atLeast, type Actor, type Role } from '#kernel/actor.ts'
import { hasSecondFactor } from '#features/second-factors/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { memberFaults } from './member-faults.ts'
import { memberFromRow, type Member } from './member.ts'
import { findMemberRow, hasOtherOwner } from './member-store.ts'

/** The person who acts on memberships of a workspace. */
export type MemberActor = Pick<Actor, 'userId' | 'workspaceId'>

/**
 * A step: the person's current role, which may have changed since the request was authenticated.
 *
 * @throws Fault record_not_found, permission_denied, second_factor_required
 */
export async function requireRoleNow(tx: Tx, actor: MemberActor, needs: Role): Promise<Role> {
  const role = await actingRoleIn(tx, actor.userId, actor.workspaceId)
  if (role === null) throw new Fault(commonFaults.record_not_found)
  if (!atLeast(role, needs)) throw new Fault(commonFaults.permission_denied, { role, needs })
  return role
}

/**
 * Owners may give every role; admins may make editors and viewers.
 *
 * @throws Fault role_not_yours_to_give
 */
export function requireMayGive(role: Role, given: Role): void {
  if (role === 'owner' || !atLeast(given, 'admin')) return
  throw new Fault(memberFaults.role_not_yours_to_give, { role, given, needs: 'owner' })
}

/**
 * Owners may change every membership; admins those of editors and viewers.
 *
 * @throws Fault member_above_you
 */
export function requireMayChange(role: Role, theirs: Role): void {
  if (role === 'owner' || !atLeast(theirs, 'admin')) return
  throw new Fault(memberFaults.member_above_you, { role, theirs, needs: 'owner' })
}

/** A step. @throws Fault record_not_found */
export async function requireMember(tx: Tx, workspaceId: string, userId: string): Promise<Member> {
  const row = await findMemberRow(tx, workspaceId, userId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return memberFromRow(row)
}

/**
 * A step: a member without a required second factor could not act as an owner.
 *
 * @throws Fault member_without_factor
 */
export async function requireFactorOfNewOwner(
  tx: Tx,
  actor: MemberActor,
  { userId, name }: Member,
): Promise<void> {
  const workspace = await getWorkspace(tx, actor.userId, actor.workspaceId)
  if (!workspace.ownersNeedSecondFactor || (await hasSecondFactor(tx, userId))) return
  throw new Fault(memberFaults.member_without_factor, { name })
}

/**
 * A step: a workspace always has an owner. Belongs in the unit that removes one, so that two owners
 * cannot both leave.
 *
 * @throws Fault last_owner
 */
export async function requireAnotherOwner(
  tx: Tx,
  workspaceId: string,
  { userId, role }: Member,
): Promise<void> {
  if (role !== 'owner' || (await hasOtherOwner(tx, workspaceId, userId))) return
  throw new Fault(memberFaults.last_owner)
}
