import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { endInvitationsBeyond } from './end-invitations-beyond.ts'
import { memberFaults } from './member-faults.ts'
import type { Member } from './member.ts'
import { updateRole } from './member-store.ts'
import { requireMember, requireRoleNow, type MemberActor } from './role-rules.ts'

/**
 * Transfers a workspace to another member, who becomes its owner; the former owner becomes an admin.
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
