import type { Generated } from 'kysely'

export interface IdentitySchema {
  users: {
    id: string
    email: string
    name: string
    /** argon2id in PHC string form; null until the person has set one. */
    password_hash: string | null
    /** 0 where nothing shows that the address is the person's. */
    email_proven: Generated<number>
    /** Null for accounts from before version 0012 of the schema. */
    email_proof: 'mailbox' | 'provider' | 'operator' | null
    /** A disabled person cannot sign in by any way. */
    disabled_at: number | null
    created_at: number
    updated_at: number
    /** Set by a daily job when the person belongs to no workspace. */
    without_workspace_since: Generated<number | null>
  }
  setup_links: {
    hash: string
    user_id: string
    created_at: number
    expires_at: number
    used_at: number | null
  }
  email_links: {
    hash: string
    purpose: 'join' | 'change' | 'undo'
    /** The address that the link was mailed to. */
    email: string
    user_id: string | null
    invitation_id: string | null
    created_at: number
    expires_at: number
    used_at: number | null
  }
  sign_in_sessions: {
    id: string
    hash: string
    user_id: string
    method: string
    /** The provider's name for its session, hashed with the issuer; null if it sent none. */
    openid_session_hash: string | null
    user_agent: string | null
    address: string | null
    created_at: number
    /** To the minute. */
    last_seen_at: number
    expires_at: number
    /** When the person last signed in or confirmed that it is them. */
    confirmed_at: Generated<number>
  }
  /** The first step of a sign-in succeeded and the second factor is missing. */
  half_sign_ins: {
    hash: string
    user_id: string
    method: string
    openid_session_hash: string | null
    created_at: number
    expires_at: number
  }
  /** Logout tokens that were used, until they expire. */
  openid_logouts: { hash: string; expires_at: number }
  external_identities: { issuer: string; subject: string; user_id: string; created_at: number }
}
