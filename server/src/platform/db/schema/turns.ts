import type { Generated } from 'kysely'

export interface TurnsSchema {
  chat_sessions: {
    id: string
    workspace_id: string
    agent_id: string
    agent_version: number
    source: string
    end_user: string | null
    created_at: number
    last_message_at: number
    message_count: number
    /** Who answers now, and until when that claim holds unless renewed. */
    lease_token: string | null
    lease_until: number
    /** Triggers keep both: what lists of conversations filter by (migration 30). */
    facts: Generated<number>
    models: Generated<string>
  }
  chat_messages: {
    session_id: string
    seq: number
    id: string
    role: string
    /** The text, or for several parts the OpenAI content array as JSON in `parts_json`. */
    content: string
    parts_json: string | null
    /** An answer's calls of the caller's tools and where its refusal begins; the call that a `tool` message answers. */
    calls_json: string | null
    model: string | null
    prompt_tokens: number | null
    completion_tokens: number | null
    /** Of the prompt tokens, those that the provider had in its cache; null for none. */
    cached_tokens: number | null
    /** Of the completion tokens, those that were reasoning; null for none. */
    reasoning_tokens: number | null
    latency_ms: number | null
    first_token_ms: number | null
    finish_reason: string | null
    /** Set when the answer is not whole: what cut it short. */
    error_code: string | null
    citations_json: string | null
    /** The beginning of the model's reasoning, if the agent stores it. */
    reasoning: string | null
    correlation_id: string | null
    created_at: number
  }
  /** What stands in for the older messages of a session; see `summarize-session.ts`. */
  session_summaries: {
    session_id: string
    workspace_id: string
    agent_id: string
    /** The number and the id of the last message that it covers. */
    covers_seq: number
    covers_id: string
    content: string
    model: string
    /** Of all calls of models for it and the summaries that it continues. */
    prompt_tokens: number
    completion_tokens: number
    cost_micros: number
    created_at: number
    /** Of a branch that inherited it: the conversation that the summary was first made of. */
    root_id: string | null
  }
  session_waiters: { ticket: string; session_id: string; expires_at: number }
  /** What running answers have streamed, in pieces. */
  partial_answers: {
    message_id: string
    /** The place of the piece in the answer, in UTF-16 code units. */
    starts_at: number
    session_id: string
    lease_token: string
    content: string
    model: string
    correlation_id: string | null
    first_token_ms: number | null
    begun_at: number
    stored_at: number
  }
}
