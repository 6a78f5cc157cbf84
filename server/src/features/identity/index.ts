export { acceptsPasswords, requirePasswords } from './accepted-methods.ts'
export { cliActor, personalActor } from './actors.ts'
export { changePassword, resetPassword } from './change-password.ts'
export { addPerson, createUser } from './create-user.ts'
export { requireEmail } from './email.ts'
export { endOpenIdSessions } from './end-openid-sessions.ts'
export { ensureOwner } from './ensure-owner.ts'
export { identityFaults } from './identity-faults.ts'
export { rememberBrowser } from './known-browser.ts'
export { hashNewPassword, hashPassword } from './password.ts'
export { recordPersonal } from './record-personal.ts'
export {
  endOtherSessions,
  endSession,
  findSession,
  listSessions,
  openSession,
  signOut,
  sweepSessions,
  type NewSession,
  type Session,
  type Visitor,
} from './sessions.ts'
export { completeSetup, readSetupLink } from './set-up.ts'
export { signIn } from './sign-in.ts'
export { signInWithOpenId } from './sign-in-with-openid.ts'
export { findUser, findUserByEmail } from './user.ts'
