export interface SecondFactorsSchema {
  second_factors: {
    id: string
    user_id: string
    /** `totp` or `passkey`. */
    kind: string
    name: string
    secret_sealed: string | null
    /** The time step of the last code that was accepted: each code works once. */
    last_step: number | null
    credential_id: string | null
    public_key: string | null
    sign_count: number | null
    transports_json: string | null
    created_at: number
    last_used_at: number | null
  }
  recovery_codes: { hash: string; user_id: string; created_at: number; used_at: number | null }
  factor_challenges: {
    /** The id of a session, or the hash of a half-finished sign-in. */
    holder: string
    purpose: string
    user_id: string
    value: string
    expires_at: number
  }
}
