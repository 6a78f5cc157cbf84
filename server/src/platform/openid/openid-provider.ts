/** Who the provider says somebody is. */
export interface OpenIdPerson {
  readonly issuer: string
  /** The provider's lasting name for the person, unlike the e-mail, which changes hands. */
  readonly subject: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
}

/** What must be remembered, in the person's browser alone, until they come back. */
export interface OpenIdJourney {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** The provider gave no identity: it is down, or the answer is not to be trusted. For the log. */
export class OpenIdRefused extends Error {
  override readonly name = 'OpenIdRefused'
}

/** An OpenID Connect provider that the operator trusts. */
export interface OpenIdProvider {
  /** @throws OpenIdRefused */
  begin(redirectUri: string): Promise<{ readonly address: URL; readonly journey: OpenIdJourney }>
  /**
   * @param returned the redirect address with the parameters that the browser brought back
   * @throws OpenIdRefused
   */
  complete(returned: URL, journey: OpenIdJourney): Promise<OpenIdPerson>
}
