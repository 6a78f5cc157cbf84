/** Sign-in and the authorization server: the tables of 0002-identity-and-grants.sql. */
export interface IdentitySchema {
  sign_in_sessions: SignInSessionsTable
  external_identities: { issuer: string; subject: string; user_id: string; created_at: number }
  oauth_clients: OauthClientsTable
  authorization_requests: AuthorizationRequestsTable
  oauth_grants: OauthGrantsTable
  oauth_tokens: OauthTokensTable
}

export interface SignInSessionsTable {
  id: string
  hash: string
  user_id: string
  method: string
  user_agent: string | null
  address: string | null
  created_at: number
  last_seen_at: number
  expires_at: number
}

export interface OauthClientsTable {
  id: string
  kind: 'registered' | 'document'
  metadata_json: string
  created_at: number
  last_used_at: number
  /** Until when a client's own document need not be fetched again; null for registered clients. */
  fresh_until: number | null
}

export interface AuthorizationRequestsTable {
  id: string
  handle_hash: string
  /** The browser that began it: the only one that may answer it. */
  browser_hash: string
  client_id: string
  redirect_uri: string
  /** Separated by spaces: asked for until the decision, granted after it. */
  scopes: string
  state: string | null
  code_challenge: string
  resource: string
  created_at: number
  /** One deadline for sign-in, consent and the code. */
  expires_at: number
  decided_at: number | null
  user_id: string | null
  workspace_id: string | null
  /** Null until, and unless, the person authorized. */
  code_hash: string | null
  redeemed_at: number | null
  grant_id: string | null
}

export interface OauthGrantsTable {
  id: string
  user_id: string
  workspace_id: string
  client_id: string
  client_name: string
  redirect_uri: string
  scopes: string
  resource: string
  created_at: number
  /** That of its newest refresh token. */
  expires_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export interface OauthTokensTable {
  hash: string
  kind: 'access' | 'refresh'
  grant_id: string
  scopes: string
  created_at: number
  expires_at: number
  rotated_at: number | null
}
