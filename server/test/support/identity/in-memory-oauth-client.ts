/** The state of an OAuth client under test, kept in memory. */
export interface InMemoryOauthClient<Client, Tokens, Discovery> {
  readonly redirectUrl: string
  readonly clientMetadata: {
    readonly client_name: string
    readonly redirect_uris: string[]
    readonly grant_types: string[]
    readonly response_types: string[]
    readonly token_endpoint_auth_method: string
  }
  clientInformation(): Client | undefined
  saveClientInformation(client: Client): void
  tokens(): Tokens | undefined
  saveTokens(tokens: Tokens): void
  saveDiscoveryState(found: Discovery): void
  discoveryState(): Discovery | undefined
  redirectToAuthorization(url: URL): void
  saveCodeVerifier(verifier: string): void
  codeVerifier(): string
  /** The authorization link for the person. */
  link(): URL
}

/** Creates an `OAuthClientProvider` for the MCP SDKs, each of which has its own record types. */
export function inMemoryOauthClient<Client, Tokens, Discovery>(): InMemoryOauthClient<
  Client,
  Tokens,
  Discovery
> {
  let client: Client | undefined
  let tokens: Tokens | undefined
  let discovery: Discovery | undefined
  let verifier = ''
  let link: URL | null = null
  const redirectUrl = 'http://localhost:4567/callback'
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'A client under test',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => client,
    saveClientInformation(registered) {
      client = registered
    },
    tokens: () => tokens,
    saveTokens(issued) {
      tokens = issued
    },
    saveDiscoveryState(found) {
      discovery = found
    },
    discoveryState: () => discovery,
    redirectToAuthorization(url) {
      link = url
    },
    saveCodeVerifier(made) {
      verifier = made
    },
    codeVerifier: () => verifier,
    link() {
      if (link === null) throw new Error('the client did not request authorization')
      return link
    },
  }
}
