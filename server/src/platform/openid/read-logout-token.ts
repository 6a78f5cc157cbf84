import type { JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { boundedFetch } from './bounded-fetch.ts'
import type { OpenIdLogout } from './openid-provider.ts'

/** The provider's keys, which are fetched when a token needs them. */
export interface LogoutKeys {
  readonly issuer: string
  readonly address: string
  readonly algorithms: readonly string[]
  readonly getKey: JWTVerifyGetKey
}

interface ProviderMetadata {
  readonly issuer: string
  readonly jwks_uri?: string
  readonly id_token_signing_alg_values_supported?: readonly string[]
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** How much the clocks of the provider and of this machine may differ. */
const clockToleranceSeconds = 60
/** A token says that a session has ended now; older ones were lost or stolen. */
const maxAgeSeconds = 10 * 60
const maxTokenLength = 16_384
/** With a public key; `none` and shared secrets are refused. */
const signature = /^(?:RS|PS|ES)(?:256|384|512)$|^EdDSA$|^Ed25519$/
/** RFC 8725 §3.11: a token of another type is not a logout token. */
const types = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt']

export async function findLogoutKeys(metadata: ProviderMetadata): Promise<LogoutKeys> {
  const { createRemoteJWKSet, customFetch } = await import('jose')
  if (metadata.jwks_uri === undefined) throw new Error('the provider publishes no keys')
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256']
  return {
    issuer: metadata.issuer,
    address: metadata.jwks_uri,
    algorithms: offered.filter((name) => signature.test(name)),
    getKey: createRemoteJWKSet(new URL(metadata.jwks_uri), {
      timeoutDuration: 10_000,
      [customFetch]: boundedFetch,
    }),
  }
}

/** Before the provider is asked for its keys, which must not be possible with any text. */
export function requireLogoutForm(token: string): void {
  const isSigned = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
  if (!isSigned || token.length > maxTokenLength) throw new Error('not a signed token')
}

const logoutClaims = z.object({
  iss: z.string(),
  jti: z.string().min(1),
  iat: z.number(),
  sub: z.string().min(1).optional(),
  sid: z.string().min(1).optional(),
  events: z.looseObject({ [logoutEvent]: z.looseObject({}) }),
  nonce: z.never().optional(),
})

/**
 * The checks of OpenID Connect Back-Channel Logout 1.0 §2.6, in its order.
 *
 * @throws an error that names the failed check, without the claims
 */
export async function readLogoutToken(
  keys: LogoutKeys,
  clientId: string,
  token: string,
): Promise<OpenIdLogout> {
  const { jwtVerify } = await import('jose')
  const { payload, protectedHeader } = await jwtVerify(token, keys.getKey, {
    algorithms: [...keys.algorithms],
    issuer: keys.issuer,
    audience: clientId,
    requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events'],
    clockTolerance: clockToleranceSeconds,
    maxTokenAge: maxAgeSeconds,
  })
  if (!types.includes(protectedHeader.typ?.toLowerCase())) throw new Error('another type of token')
  const claims = logoutClaims.safeParse(payload)
  if (!claims.success)
    throw new Error(`claim ${String(claims.error.issues[0]?.path[0])} is not valid`)
  const { iss, jti, iat, sub, sid } = claims.data
  if (sub === undefined && sid === undefined)
    throw new Error('names neither a person nor a session')
  // Later, the token is too old.
  const expiresAt = Math.ceil(iat + maxAgeSeconds + clockToleranceSeconds) * 1000
  return { issuer: iss, subject: sub ?? null, sessionId: sid ?? null, tokenId: jti, expiresAt }
}
