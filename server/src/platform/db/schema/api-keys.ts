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
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    last_used_at: number | null
  }
}
