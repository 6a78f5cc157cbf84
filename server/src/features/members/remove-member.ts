import { endDeveloperKeys } from '#features/api-keys/index.ts'
import { endGrants } from '#features/grants/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { revokeInvitationsBy } from './invitation-store.ts'
import { memberFaults } from './member-faults.ts'
import type { Member } from './member.ts'
import { deleteMembership } from './member-store.ts'
import {
  requireAnotherOwner,
  requireMayChange,
  requireMember,
  requireRoleNow,
  type MemberActor,
} from './role-rules.ts'

type RemoveContext = Pick<Context, 'db' | 'clock'>

/**
 * Removes a person from a workspace, at once and in every process: each request checks the role of
 * the person behind a session, key or token. Keys and grants for this workspace end permanently, so
 * that they do not work again if the person returns.
 *
 * @throws Fault record_not_found, permission_denied, member_above_you, member_is_you, last_owner
 */
export function removeMember(
  ctx: RemoveContext,
  actor: MemberActor,
  userId: string,
): Promise<Member> {
  return ctx.db.write(async (tx) => {
    const role = await requireRoleNow(tx, actor, 'admin')
    const member = await requireMember(tx, actor.workspaceId, userId)
    if (userId === actor.userId) throw new Fault(memberFaults.member_is_you)
    requireMayChange(role, member.role)
    await endMembership(tx, ctx, actor.workspaceId, member)
    return member
  })
}

/**
 * Removes the person who asks.
 *
 * @throws Fault record_not_found, last_owner
 */
export function leaveWorkspace(
  ctx: RemoveContext,
  { userId, workspaceId }: MemberActor,
): Promise<Member> {
  return ctx.db.write(async (tx) => {
    const member = await requireMember(tx, workspaceId, userId)
    await endMembership(tx, ctx, workspaceId, member)
    return member
  })
}

async function endMembership(
  tx: Tx,
  { clock }: Pick<Context, 'clock'>,
  workspaceId: string,
  member: Member,
): Promise<void> {
  await requireAnotherOwner(tx, workspaceId, member)
  await deleteMembership(tx, workspaceId, member.userId)
  const now = clock.now()
  await revokeInvitationsBy(tx, { userId: member.userId, workspaceId }, now)
  await endDeveloperKeys(tx, { userId: member.userId, workspaceId }, now)
  await endGrants(tx, { userId: member.userId, workspaceId }, now)
}
