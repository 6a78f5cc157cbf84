export interface GrantsSchema {
  oauth_clients: {
    id: string
    kind: 'registered' | 'document'
    metadata_json: string
    created_at: number
    last_used_at: number
    /** Until when a client's own document need not be fetched again; null for registered clients. */
    fresh_until: number | null
  }
  authorization_requests: {
    id: string
    handle_hash: string
    /** The browser that began it: the only one that may answer it. */
    browser_hash: string
    client_id: string
    redirect_uri: string
    /** Separated by spaces: asked for until the decision, granted after it. */
    scopes: string
    /** A `Reach` that the person picked; null for none. */
    reach_json: string | null
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
  oauth_grants: {
    id: string
    user_id: string
    workspace_id: string
    client_id: string
    client_name: string
    redirect_uri: string
    scopes: string
    /** A `Reach`; null for a grant without bounds. */
    reach_json: string | null
    resource: string
    created_at: number
    /** That of its newest refresh token. */
    expires_at: number
    /** To the minute. */
    last_used_at: number | null
    last_used_address: string | null
    last_used_agent: string | null
    revoked_at: number | null
  }
  oauth_tokens: {
    hash: string
    kind: 'access' | 'refresh'
    grant_id: string
    scopes: string
    created_at: number
    expires_at: number
    rotated_at: number | null
  }
}
