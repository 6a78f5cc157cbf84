export { acceptsPasswords, requirePasswords } from './accepted-methods.ts'
export { cliActor, personalActor } from './actors.ts'
export { awaitsSetup } from './awaits-setup.ts'
export {
  changeEmailOf,
  confirmEmailChange,
  readEmailLink,
  requestEmailChange,
} from './change-email.ts'
export {
  beginConfirmation,
  confirmSession,
  isConfirmed,
  requireConfirmed,
  type Confirmation,
  type ConfirmationWays,
} from './confirm-session.ts'
export { changePassword } from './change-password.ts'
export { prepareAccount } from './claim-account.ts'
export { createSetupLink } from './create-setup-link.ts'
export { createUser } from './create-user.ts'
export { disableUser, enableUser, endUserSessions, resetUserSecondFactors } from './disable-user.ts'
export { requireEmail } from './email.ts'
export { accountDigest } from './guess-limits.ts'
export { findEmailLink, insertEmailLink } from './email-link-store.ts'
export { endOpenIdSessions } from './end-openid-sessions.ts'
export { ensureOwner } from './ensure-owner.ts'
export { beginSecondStep, finishSignIn } from './finish-sign-in.ts'
export { identityFaults } from './identity-faults.ts'
export { rememberBrowser } from './known-browser.ts'
export { hashPassword } from './password.ts'
export { mailLetter, postLetter, requireLetterAllowed } from './mail-letter.ts'
export { recordPersonal } from './record-personal.ts'
export { renameUser } from './rename-user.ts'
export { resetPassword } from './reset-password.ts'
export {
  endOtherSessions,
  endSession,
  findSession,
  isSessionAlive,
  isWhole,
  listSessions,
  openSession,
  signOut,
  sweepSessions,
  type NewSession,
  type Session,
  type SignInResult,
  type Visitor,
} from './sessions.ts'
export { completeSetup, readSetupLink } from './set-up.ts'
export { setupAddress } from './setup-link.ts'
export { signIn } from './sign-in.ts'
export { signInWithOpenId } from './sign-in-with-openid.ts'
export {
  emailProofFromRow,
  emailProofs,
  findUser,
  findUserByEmail,
  type EmailProof,
} from './user.ts'
export { readUndoLink, undoEmailChange } from './undo-email-change.ts'
