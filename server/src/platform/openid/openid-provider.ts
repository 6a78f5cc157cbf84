/** A person's identity at the provider. */
export interface OpenIdPerson {
  readonly issuer: string
  /** The provider's permanent name for the person; an e-mail address can change its owner. */
  readonly subject: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  /** When the provider authenticated the person, in epoch milliseconds; null if it does not say. */
  readonly authenticatedAt: number | null
  /** The provider's id of its session (`sid`); null if it sent none. */
  readonly sessionId: string | null
}

/** What a valid logout token names: a person, a session of the provider, or both. */
export interface OpenIdLogout {
  readonly issuer: string
  readonly subject: string | null
  readonly sessionId: string | null
  /** Unique for the issuer (`jti`). */
  readonly tokenId: string
  /** From then on, the token is refused as too old. */
  readonly expiresAt: number
}

/** What only the person's browser stores until they return from the provider. */
export interface OpenIdJourney {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** The provider returned no identity: it is down, or its answer is invalid. For the log. */
export class OpenIdRefused extends Error {
  override readonly name = 'OpenIdRefused'
}

/** An OpenID Connect provider that the operator trusts. */
export interface OpenIdProvider {
  /**
   * @param again true asks the provider to authenticate the person again (Core §3.1.2.1)
   * @throws OpenIdRefused
   */
  begin(
    redirectUri: string,
    again: boolean,
  ): Promise<{ readonly address: URL; readonly journey: OpenIdJourney }>
  /**
   * @param returned the redirect address with the parameters that the browser sent
   * @throws OpenIdRefused
   */
  complete(returned: URL, journey: OpenIdJourney): Promise<OpenIdPerson>
  /**
   * Checks a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6), but not whether it was used.
   *
   * @throws OpenIdRefused
   */
  readLogout(token: string): Promise<OpenIdLogout>
}
