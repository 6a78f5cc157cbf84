export {
  acceptByPassword,
  acceptInvitation,
  admitInvited,
  hasAccepted,
  readInvitation,
  type ShownInvitation,
} from './accept-invitation.ts'
export { changeMemberRole } from './change-member-role.ts'
export { invitationStatuses, invitedRoles } from './invitation.ts'
export { mailInvitation } from './invitation-mail.ts'
export { inviteMember, resendInvitation } from './invite-member.ts'
export { listInvitations } from './list-invitations.ts'
export { listMembers } from './list-members.ts'
export { memberFaults } from './member-faults.ts'
export { leaveWorkspace, removeMember } from './remove-member.ts'
export { revokeInvitation } from './revoke-invitation.ts'
export { transferWorkspace } from './transfer-workspace.ts'
