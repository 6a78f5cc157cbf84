export {
  acceptByPassword,
  acceptInvitation,
  joinedWorkspace,
  admitInvited,
  readInvitation,
  type ShownInvitation,
} from './accept-invitation.ts'
export {
  changeMemberRole,
  leaveWorkspace,
  removeMember,
  transferWorkspace,
} from './change-membership.ts'
export { mailInvitation } from './invitation-mail.ts'
export { mailJoinLink } from './join-link.ts'
export {
  inviteMember,
  resendInvitation,
  revokeInvitation,
  showsAdminLink,
} from './invite-member.ts'
export { listMembers } from './member.ts'
export { memberFaults } from './member-faults.ts'
