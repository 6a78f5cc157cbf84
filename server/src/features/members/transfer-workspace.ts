import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { endInvitationsBeyond } from './end-invitations-beyond.ts'
import { memberFaults } from './member-faults.ts'
import type { Member } from './member.ts'
import { updateRole } from './member-store.ts'
import { requireMember } from './require-member.ts'
import { requireRoleNow, type MemberActor } from './role-rules.ts'

/**
 * Hands a workspace to another member: they own it, and whoever handed it over is an admin.
 *
 * @throws Fault record_not_found, permission_denied, member_is_you
 */
export function transferWorkspace(
  ctx: Pick<Context, 'db' | 'clock'>,
  actor: MemberActor,
  userId: string,
): Promise<Member> {
  return ctx.db.write(async (tx) => {
    await requireRoleNow(tx, actor, 'owner')
    if (userId === actor.userId) throw new Fault(memberFaults.member_is_you)
    const member = await requireMember(tx, actor.workspaceId, userId)
    await updateRole(tx, actor.workspaceId, userId, 'owner')
    await updateRole(tx, actor.workspaceId, actor.userId, 'admin')
    await endInvitationsBeyond(tx, actor, 'admin', ctx.clock.now())
    return { ...member, role: 'owner' }
  })
}
