export interface ProvidersSchema {
  model_providers: {
    workspace_id: string
    provider: string
    base_url: string | null
    /** AES-256-GCM, sealed by the vault. */
    api_key_sealed: string | null
    created_at: number
    updated_at: number
  }
}
