export { credentialFaults, requireLiveCredential } from './require-live-credential.ts'
