export { beginApp, beginPasskey, finishApp, finishPasskey, pendingApp } from './add-factor.ts'
export {
  beginProof,
  isRecoveryCode,
  proveFactor,
  type FactorProof,
  type ProofWays,
} from './prove-factor.ts'
export { relyingParty } from './relying-party.ts'
export { secondFactorFaults } from './second-factor-faults.ts'
export {
  hasSecondFactor,
  listSecondFactors,
  removeSecondFactor,
  replaceRecoveryCodes,
  resetSecondFactors,
  sweepChallenges,
  workspacesWaitingForFactor,
  type Holder,
  type SecondFactor,
} from './second-factors.ts'
export { factorsOf } from './store.ts'
export type { AppSecret } from './totp.ts'
