export { changePassword } from './change-password.ts'
export { cliActor } from './cli-actor.ts'
export { createUser, type NewAccount, type NewUser } from './create-user.ts'
export { ensureOwner, type EnsuredOwner } from './ensure-owner.ts'
export { findUser, findUserByEmail } from './find-user.ts'
export { identityFaults } from './identity-faults.ts'
export { identityJobs } from './identity-jobs.ts'
export { hashPassword, verifyPassword } from './password.ts'
export { personalActor } from './personal-actor.ts'
export type { NewSession, Session, Visitor } from './session.ts'
export {
  endOtherSessions,
  endSession,
  findSession,
  listSessions,
  signOut,
  sweepSessions,
} from './sessions.ts'
export { completeSetup, readSetupLink, type SetUp } from './set-up.ts'
export { signIn } from './sign-in.ts'
export { signInWithOpenId } from './sign-in-with-openid.ts'
export type { User } from './user.ts'
