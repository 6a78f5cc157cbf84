import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { invitationFromRow, type Invitation } from './invitation.ts'
import { findInvitation, updateInvitation } from './invitation-store.ts'
import { memberFaults } from './member-faults.ts'
import { requireMayGive, requireRoleNow, type MemberActor } from './role-rules.ts'

/**
 * Revokes an invitation: its link stops working at once. An accepted invitation is a membership now.
 *
 * @throws Fault record_not_found, permission_denied, role_not_yours_to_give, already_member
 */
export function revokeInvitation(
  ctx: Pick<Context, 'db' | 'clock'>,
  actor: MemberActor,
  id: string,
): Promise<Invitation> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const role = await requireRoleNow(tx, actor, 'admin')
    const row = await findInvitation(tx, actor.workspaceId, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    const invitation = invitationFromRow(row, now)
    requireMayGive(role, invitation.role)
    if (invitation.status === 'accepted') throw new Fault(memberFaults.already_member)
    const revoked_at = row.revoked_at ?? now
    await updateInvitation(tx, id, { revoked_at, mail_sealed: null, updated_at: now })
    return invitationFromRow({ ...row, revoked_at }, now)
  })
}
