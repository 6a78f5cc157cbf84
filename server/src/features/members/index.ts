export {
  acceptByPassword,
  acceptInvitation,
  admitInvited,
  hasAccepted,
  readInvitation,
  type ShownInvitation,
} from './accept-invitation.ts'
export {
  changeMemberRole,
  leaveWorkspace,
  removeMember,
  transferWorkspace,
} from './change-membership.ts'
export { invitationStatuses, invitedRoles, listInvitations } from './invitation.ts'
export { mailInvitation } from './invitation-mail.ts'
export { inviteMember, resendInvitation, revokeInvitation } from './invite-member.ts'
export { listMembers } from './member.ts'
export { memberFaults } from './member-faults.ts'
