export { issuerOf, resourceMetadataAddress, resourceOf } from './addresses.ts'
export { authenticateBearer, holderOfBearer, type Bearer } from './authenticate-bearer.ts'
export { beginAuthorization } from './begin-authorization.ts'
export type { OauthClient } from './client.ts'
export { listConnectedApps, revokeConnectedApp, type ConnectedApp } from './connected-apps.ts'
export { answerAddress, authorize, deny } from './decide-authorization.ts'
export { requireRedirect } from './find-client.ts'
export { grantFaults } from './grant-faults.ts'
export { endGrants } from './end-grants.ts'
export {
  getPendingAuthorization,
  type PendingAuthorization,
  type RequestTicket,
} from './pending-authorization.ts'
export { redeemCode } from './redeem-code.ts'
export { clientRegistration } from './read-metadata.ts'
export { destinationOf, type Destination } from './redirect-address.ts'
export { refreshTokens } from './refresh-tokens.ts'
export { registerClient } from './register-client.ts'
export { revokeToken } from './revoke-token.ts'
export { sweepExpiredGrants } from './sweep-expired-grants.ts'
export type { TokenAnswer } from './token-pair.ts'
export { credentialKinds, listUnusedCredentials } from './unused-credentials.ts'
