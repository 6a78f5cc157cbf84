export { changePassword } from './change-password.ts'
export { cliActor } from './cli-actor.ts'
export { addPerson, createUser, type NewAccount, type NewUser } from './create-user.ts'
export { requireEmail } from './email.ts'
export { ensureOwner, type EnsuredOwner } from './ensure-owner.ts'
export { findUser, findUserByEmail } from './find-user.ts'
export { identityFaults } from './identity-faults.ts'
export { identityJobs } from './identity-jobs.ts'
export { hashPassword, requirePassword } from './password.ts'
export { personalActor } from './personal-actor.ts'
export { recordPersonal } from './record-personal.ts'
export { resetPassword } from './reset-password.ts'
export type { NewSession, Session, Visitor } from './session.ts'
export {
  endOtherSessions,
  endSession,
  findSession,
  listSessions,
  mintSession,
  openSession,
  signOut,
  sweepSessions,
} from './sessions.ts'
export { completeSetup, readSetupLink, type SetUp } from './set-up.ts'
export { signIn } from './sign-in.ts'
export { signInWithOpenId } from './sign-in-with-openid.ts'
export type { User } from './user.ts'
