/** A person's identity at the provider. */
export interface OpenIdPerson {
  readonly issuer: string
  /** The provider's permanent name for the person; an e-mail address can change its owner. */
  readonly subject: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
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
  /** @throws OpenIdRefused */
  begin(redirectUri: string): Promise<{ readonly address: URL; readonly journey: OpenIdJourney }>
  /**
   * @param returned the redirect address with the parameters that the browser sent
   * @throws OpenIdRefused
   */
  complete(returned: URL, journey: OpenIdJourney): Promise<OpenIdPerson>
}
