import {
  endDeveloperKeys,
  markKeysToRotate,
  type KeyToRotate,
  type RotationReason,
} from '#features/api-keys/index.ts'
import { endGrants } from '#features/grants/index.ts'
import { revokeInvitationsBy } from '#features/invitations/index.ts'
import { passBilling, transferBilling } from '#features/workspaces/index.ts'
import { atLeast, type Role } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { memberFaults } from './member-faults.ts'
import type { Member } from './member.ts'
import { deleteMembership, updateRole } from './member-store.ts'
import {
  requireAnotherOwner,
  requireFactorOfNewOwner,
  requireMayChange,
  requireMayGive,
  requireMember,
  requireRoleNow,
  type MemberActor,
} from './role-rules.ts'

/**
 * Gives a member another role. It applies from their next request on, whatever the credential. What an
 * editor knows is listed for the owner when they become a viewer.
 *
 * @throws Fault record_not_found, permission_denied, role_not_yours_to_give, member_above_you,
 *   last_owner, member_without_factor
 */
export function changeMemberRole(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  actor: MemberActor,
  change: { readonly userId: string; readonly role: Role },
): Promise<Member> {
  return ctx.db.write(async (tx) => {
    const role = await requireRoleNow(tx, actor, 'admin')
    const member = await requireMember(tx, actor.workspaceId, change.userId)
    requireMayChange(role, member.role)
    requireMayGive(role, change.role)
    if (change.role === 'owner') await requireFactorOfNewOwner(tx, actor, member)
    else await requireAnotherOwner(tx, actor.workspaceId, member)
    await updateRole(tx, actor.workspaceId, member.userId, change.role)
    const changed = { userId: member.userId, workspaceId: actor.workspaceId }
    if (change.role !== 'owner') await passBilling(tx, ctx, changed)
    const now = ctx.clock.now()
    await endInvitationsBeyond(tx, changed, change.role, now)
    // Viewers are shown no key and no secret.
    const isLost = atLeast(member.role, 'editor') && !atLeast(change.role, 'editor')
    if (isLost) await markKeysToRotate(tx, changed, 'role_lost', now)
    return { ...member, role: change.role }
  })
}

/**
 * Transfers a workspace to another member, who becomes its owner; the former owner becomes an admin.
 *
 * @throws Fault record_not_found, permission_denied, member_is_you, limit_reached,
 *   member_without_factor
 */
export function transferWorkspace(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  actor: MemberActor,
  userId: string,
): Promise<Member> {
  return ctx.db.write(async (tx) => {
    await requireRoleNow(tx, actor, 'owner')
    if (userId === actor.userId) throw new Fault(memberFaults.member_is_you)
    const member = await requireMember(tx, actor.workspaceId, userId)
    await requireFactorOfNewOwner(tx, actor, member)
    await updateRole(tx, actor.workspaceId, userId, 'owner')
    const { workspaceId, userId: from } = actor
    await transferBilling(tx, ctx, { workspaceId, from, to: userId })
    await updateRole(tx, actor.workspaceId, actor.userId, 'admin')
    await endInvitationsBeyond(tx, actor, 'admin', ctx.clock.now())
    return { ...member, role: 'owner' }
  })
}

/**
 * Revokes a person's open invitations to roles that they may no longer give. An owner who
 * becomes an admin can still invite editors and viewers.
 */
async function endInvitationsBeyond(
  tx: Tx,
  person: MemberActor,
  role: Role,
  now: number,
): Promise<void> {
  if (role === 'owner') return
  await revokeInvitationsBy(tx, person, now, atLeast(role, 'admin') ? ['admin'] : undefined)
}

export interface FormerMember extends Member {
  /** Keys and secrets that the person knows; they keep working until they are replaced. */
  readonly keysToRotate: readonly KeyToRotate[]
}

/**
 * Removes a person from a workspace, at once and in every process: each request checks the role of
 * the person behind a session, key or token. Keys and grants for this workspace end permanently, so
 * that they do not work again if the person returns. The chat and checkout keys and the secrets of chat
 * pages that the person knows keep working and are listed for the owner.
 *
 * @throws Fault record_not_found, permission_denied, member_above_you, member_is_you, last_owner
 */
export function removeMember(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  actor: MemberActor,
  userId: string,
): Promise<FormerMember> {
  return ctx.db.write(async (tx) => {
    const role = await requireRoleNow(tx, actor, 'admin')
    const member = await requireMember(tx, actor.workspaceId, userId)
    if (userId === actor.userId) throw new Fault(memberFaults.member_is_you)
    requireMayChange(role, member.role)
    const { workspaceId } = actor
    return await endMembership(tx, ctx, workspaceId, member, 'member_removed')
  })
}

/**
 * Removes the person who asks.
 *
 * @throws Fault record_not_found, last_owner
 */
export function leaveWorkspace(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: MemberActor,
): Promise<Member> {
  return ctx.db.write(async (tx) => {
    const member = await requireMember(tx, workspaceId, userId)
    return await endMembership(tx, ctx, workspaceId, member, 'member_left')
  })
}

async function endMembership(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  workspaceId: string,
  member: Member,
  reason: RotationReason,
): Promise<FormerMember> {
  await requireAnotherOwner(tx, workspaceId, member)
  await deleteMembership(tx, workspaceId, member.userId)
  await passBilling(tx, ctx, { workspaceId, userId: member.userId })
  const now = ctx.clock.now()
  await revokeInvitationsBy(tx, { userId: member.userId, workspaceId }, now)
  await endDeveloperKeys(tx, { userId: member.userId, workspaceId }, now)
  await endGrants(tx, { userId: member.userId, workspaceId }, now)
  const known = { userId: member.userId, workspaceId }
  return { ...member, keysToRotate: await markKeysToRotate(tx, known, reason, now) }
}
