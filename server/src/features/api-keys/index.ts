export { authenticateAcpKey, type AcpCaller } from './acp-authenticate.ts'
export { createAcpKey, listAcpKeys } from './acp-keys.ts'
export type { ApiKey } from './api-key.ts'
export { createChatKey, type IssuedKey } from './create-chat-key.ts'
export type { DeveloperKey } from './developer-key.ts'
export {
  createDeveloperKey,
  deleteDeveloperKey,
  findDeveloperKey,
  findDeveloperKeyHolder,
  listDeveloperKeys,
  type IssuedDeveloperKey,
  type KeyHolder,
  type PresentedKey,
} from './developer-keys.ts'
export { endDeveloperKeys } from './end-developer-keys.ts'
export { keyLifetimes, type KeyExpiry, type KeyLifetime } from './key-expiry.ts'
export { listChatKeys } from './list-chat-keys.ts'
export { keyWorkspace, revokeKey } from './revoke-key.ts'
export { touchKey } from './touch-key.ts'
