import type { Role } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import { endInvitationsBeyond } from './end-invitations-beyond.ts'
import type { Member } from './member.ts'
import { updateRole } from './member-store.ts'
import {
  requireAnotherOwner,
  requireMayChange,
  requireMayGive,
  requireMember,
  requireRoleNow,
  type MemberActor,
} from './role-rules.ts'

/**
 * Gives a member another role. It applies from their next request on, whatever the credential.
 *
 * @throws Fault record_not_found, permission_denied, role_not_yours_to_give, member_above_you,
 *   last_owner
 */
export function changeMemberRole(
  ctx: Pick<Context, 'db' | 'clock'>,
  actor: MemberActor,
  change: { readonly userId: string; readonly role: Role },
): Promise<Member> {
  return ctx.db.write(async (tx) => {
    const role = await requireRoleNow(tx, actor, 'admin')
    const member = await requireMember(tx, actor.workspaceId, change.userId)
    requireMayChange(role, member.role)
    requireMayGive(role, change.role)
    if (change.role !== 'owner') await requireAnotherOwner(tx, actor.workspaceId, member)
    await updateRole(tx, actor.workspaceId, member.userId, change.role)
    const changed = { userId: member.userId, workspaceId: actor.workspaceId }
    await endInvitationsBeyond(tx, changed, change.role, ctx.clock.now())
    return { ...member, role: change.role }
  })
}
