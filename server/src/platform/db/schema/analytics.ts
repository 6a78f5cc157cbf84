import type { Generated } from 'kysely'

export interface AnalyticsSchema {
  analytics_figures: {
    agent_id: string
    span_minutes: number
    starts_at: number
    source: string
    sessions: number
    messages: number
    prompt_tokens: number
    completion_tokens: number
    cost_micros: number
    unpriced_answers: number
    errors: number
    unanswered: number
    ratings_up: number
    ratings_down: number
    action_calls: number
    action_errors: number
    latency_json: string
    first_token_json: string
  }
  analytics_users: {
    agent_id: string
    span_minutes: number
    starts_at: number
    source: string
    user_key: number
  }
  analytics_questions: {
    agent_id: string
    day: number
    question: string
    conversations: number
    /** Of these, those in the dashboard's test chat. */
    tests: Generated<number>
  }
  analytics_citations: {
    agent_id: string
    day: number
    source_id: string
    answers: number
    tests: Generated<number>
  }
  analytics_models: {
    agent_id: string
    day: number
    model: string
    source: string
    turns: number
    /** Of these, those whose model had no price. */
    unpriced: number
    cost_micros: number
  }
  /** Kept by the roll-up, see features/analytics/usage-store.ts. */
  workspace_usage: {
    workspace_id: string
    messages: number
    message_bytes: number
    analytics_users: number
    compared_at: number
  }
  chat_feedback: {
    message_id: string
    session_id: string
    workspace_id: string
    agent_id: string
    rating: number
    comment: string | null
    created_at: number
    updated_at: number
  }
}
