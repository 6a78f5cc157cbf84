export { addressFaults, requireAllowedAddress } from './allowed-addresses.ts'
export { lastUse, unknownSender, type Sender } from './sender.ts'
export { apiKeyFaults } from './key-expiry.ts'
export { acpKeyFaults, authenticateAcpKey, type AcpCaller } from './acp-authenticate.ts'
export { createAgentKey, listAgentKeys, revokeAgentKey, type AgentKeyKind } from './agent-keys.ts'
export { endDeveloperKeys } from './developer-key-store.ts'
export {
  createDeveloperKey,
  deleteDeveloperKey,
  findDeveloperKey,
  findDeveloperKeyHolder,
  listDeveloperKeys,
  type DeveloperKey,
  type IssuedDeveloperKey,
} from './developer-keys.ts'
export { keyLifetimes } from './key-expiry.ts'
export {
  keepKey,
  keepPageSecret,
  listKeysToRotate,
  markKeysToRotate,
  rotationReasons,
  type KeyToRotate,
  type RotationReason,
} from './rotate-keys.ts'
export {
  forgetKnownSecret,
  isSecretKnown,
  noteKnownSecret,
  type PageSecret,
} from './known-secret-store.ts'
export { touchKey } from './touch-key.ts'
