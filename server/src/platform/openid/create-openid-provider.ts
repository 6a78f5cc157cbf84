import type * as openIdClient from 'openid-client'
import type { Config } from '#config'
import { boundedFetch } from './bounded-fetch.ts'
import {
  findLogoutKeys,
  readLogoutToken,
  requireLogoutForm,
  type LogoutKeys,
} from './read-logout-token.ts'
import {
  OpenIdRefused,
  type OpenIdJourney,
  type OpenIdPerson,
  type OpenIdProvider,
} from './openid-provider.ts'

interface Discovered {
  readonly library: typeof openIdClient
  readonly configuration: openIdClient.Configuration
  readonly at: number
}

/** Providers change their endpoints and keys; the library itself refreshes the keys. */
const discoveryFreshMs = 60 * 60 * 1000
const timeoutSeconds = 10

/**
 * Sign-in by OpenID Connect (Core §3.1): authorization code with PKCE, state and nonce. The operator
 * configures the provider's address, so requests to it are not restricted. Library and metadata are
 * loaded at the first sign-in, so the service starts even if the provider is down.
 */
export function createOpenIdProvider(
  config: Pick<Config, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret'>,
): OpenIdProvider | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: secret } = config
  if (issuer === undefined || clientId === undefined) return null
  let discovered: Discovered | null = null

  async function discover(): Promise<Discovered> {
    if (discovered !== null && Date.now() - discovered.at < discoveryFreshMs) return discovered
    const library = await import('openid-client')
    const server = new URL(String(issuer))
    // A provider on the same machine or network may lack a certificate.
    const execute = server.protocol === 'http:' ? [library.allowInsecureRequests] : []
    const configuration = await library.discovery(server, String(clientId), secret, undefined, {
      execute,
      timeout: timeoutSeconds,
      [library.customFetch]: (url, { body = null, signal = null, ...init }) =>
        boundedFetch(url, { ...init, body, signal }),
    })
    discovered = { library, configuration, at: Date.now() }
    return discovered
  }

  let keys: LogoutKeys | null = null

  async function logoutKeys(): Promise<LogoutKeys> {
    const metadata = (await discover()).configuration.serverMetadata()
    if (keys !== null && keys.address === metadata.jwks_uri) return keys
    keys = await findLogoutKeys(metadata)
    return keys
  }

  return {
    begin: (redirectUri, again) =>
      refusing(async () => begin(await discover(), redirectUri, again)),
    complete: (returned, journey) =>
      refusing(async () => complete(await discover(), returned, journey)),
    readLogout: (token) =>
      refusing(async () => {
        requireLogoutForm(token)
        return await readLogoutToken(await logoutKeys(), String(clientId), token)
      }),
  }
}

async function refusing<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new OpenIdRefused(`The OpenID provider returned no identity: ${reason}`, { cause })
  }
}

async function begin({ library, configuration }: Discovered, redirectUri: string, again: boolean) {
  const journey = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    codeVerifier: library.randomPKCECodeVerifier(),
  }
  const address = library.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: journey.state,
    nonce: journey.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(journey.codeVerifier),
    code_challenge_method: 'S256',
    // With max_age, the provider reports when it authenticated the person.
    ...(again ? { prompt: 'login', max_age: '0' } : {}),
  })
  return { address, journey }
}

async function complete(
  { library, configuration }: Discovered,
  returned: URL,
  journey: OpenIdJourney,
): Promise<OpenIdPerson> {
  const tokens = await library.authorizationCodeGrant(configuration, returned, {
    expectedState: journey.state,
    expectedNonce: journey.nonce,
    pkceCodeVerifier: journey.codeVerifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('no ID token')
  // Some providers omit the e-mail address from the ID token (Core §5.4).
  const profile =
    claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
      ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof profile.email === 'string' ? profile.email : null,
    emailVerified: profile.email_verified === true,
    name: typeof profile.name === 'string' ? profile.name : null,
    authenticatedAt: typeof claims.auth_time === 'number' ? claims.auth_time * 1000 : null,
    sessionId: typeof claims.sid === 'string' ? claims.sid : null,
  }
}
