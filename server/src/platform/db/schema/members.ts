export interface MembersSchema {
  invitations: {
    id: string
    workspace_id: string
    /** The invited address; null if anyone with the link can join. */
    email: string | null
    role: string
    token_hash: string
    invited_by: string
    /** How often it was sent: each time is a new link, and a message of its own. */
    round: number
    mail_status: 'none' | 'pending' | 'sent' | 'failed'
    /** The message, sealed, until it is sent: it holds the link. */
    mail_sealed: string | null
    mail_error: string | null
    created_at: number
    updated_at: number
    expires_at: number
    accepted_at: number | null
    accepted_by: string | null
    revoked_at: number | null
  }
}
