export interface ApiKeysSchema {
  api_keys: {
    id: string
    kind: 'chat' | 'developer' | 'acp'
    hash: string
    last4: string
    name: string
    workspace_id: string
    user_id: string
    agent_id: string | null
    scopes: string | null
    /** A `Reach`; null for a key without bounds. */
    reach_json: string | null
    /** CIDR blocks separated by spaces; null for any address. */
    allowed_addresses: string | null
    /** 1 for a key that ends in a checksum. */
    has_checksum: number
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    last_used_at: number | null
    last_used_address: string | null
    last_used_agent: string | null
    /** Since when the owner should replace the key, because a person knows it; null if not. */
    rotate_since: number | null
    rotate_reason: string | null
  }
  /** Secrets of chat pages that people were shown. */
  known_secrets: {
    id: string
    workspace_id: string
    agent_id: string
    kind: 'identity' | 'link'
    user_id: string
    shown_at: number
    /** As of a key. */
    rotate_since: number | null
    rotate_reason: string | null
  }
}
