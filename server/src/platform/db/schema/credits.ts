import type { Generated } from 'kysely'

/** Amounts are micros: millionths of a credit. */
export interface CreditsSchema {
  credit_entries: {
    id: string
    workspace_id: string
    kind: string
    /** Negative for what was used. */
    amount_micros: number
    agent_id: string | null
    session_id: string | null
    message_id: string | null
    key_id: string | null
    end_user: string | null
    model: string | null
    prompt_tokens: number | null
    completion_tokens: number | null
    /** Of the prompt tokens, those that the provider had in its cache; null for none. */
    cached_tokens: number | null
    idempotency_key: string | null
    note: string | null
    /** Of a turn that was not stored; null for turns of a conversation, which has its own. */
    channel: Generated<string | null>
    /** The moment whose day and month it counts to. */
    counted_at: number
    created_at: number
  }
  credit_caps: {
    id: string
    workspace_id: string
    subject: string
    subject_id: string
    period: string
    amount_micros: number
    created_by: string
    created_at: number
    updated_at: number
  }
  /** What a workspace used on a day in UTC, of the entries before the watermark `credit_days`. */
  credit_days: { workspace_id: string; day: number; used_micros: number }
  credit_windows: {
    id: string
    workspace_id: string
    subject: string
    subject_id: string
    period: string
    starts_at: number
    ends_at: number
    limit_micros: number
    used_micros: number
  }
  credit_reservations: {
    turn_id: string
    window_id: string
    workspace_id: string
    amount_micros: number
    expires_at: number
  }
  credit_shares: {
    user_id: string
    /** `2026-01` */
    month: string
    /** The workspace. The rows outlive it. */
    recipient_id: string
    granted_micros: number
    /** Negative for what was moved to another workspace. */
    moved_micros: number
  }
  credit_prices: {
    id: string
    pattern: string
    prompt_micros_per_million: number | null
    completion_micros_per_million: number | null
    /** Null for the price of other prompt tokens. */
    cached_micros_per_million: number | null
    call_micros: number | null
    valid_from: number
    created_by: string
    created_at: number
  }
}
