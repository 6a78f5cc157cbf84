export {
  credentialFaults,
  credentialOf,
  isCredentialLive,
  requireLiveCredential,
  type Credential,
} from './require-live-credential.ts'
