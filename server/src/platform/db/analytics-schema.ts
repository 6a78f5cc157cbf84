import type { Generated } from 'kysely'

/** Counted figures, ratings and the search index of conversations: the tables of 0009-analytics. */
export interface AnalyticsSchema {
  watermarks: WatermarksTable
  analytics_figures: AnalyticsFiguresTable
  analytics_users: AnalyticsUsersTable
  analytics_questions: {
    agent_id: string
    day: number
    question: string
    conversations: number
  }
  analytics_citations: { agent_id: string; day: number; source_id: string; answers: number }
  chat_feedback: ChatFeedbackTable
  /** PostgreSQL only: what a conversation said, as an array. */
  conversation_terms: { id: Generated<number>; session_id: string }
  /** SQLite only: the same, its terms in `conversation_index`. */
  conversation_documents: { id: Generated<number>; session_id: string }
  /** SQLite only: an FTS5 table; rowid is the document's id. */
  conversation_index: { rowid: number; terms: string }
}

export interface WatermarksTable {
  name: 'analytics' | 'conversation_search'
  /** Rows older than this moment are done. */
  reached_at: number
  /** Raised by whoever deletes rows that were not done yet. */
  generation: number
  began_at: number | null
}

export interface AnalyticsFiguresTable {
  agent_id: string
  span_minutes: number
  starts_at: number
  source: string
  sessions: number
  messages: number
  prompt_tokens: number
  completion_tokens: number
  cost_micros: number
  errors: number
  unanswered: number
  ratings_up: number
  ratings_down: number
  action_calls: number
  action_errors: number
  latency_json: string
  first_token_json: string
}

export interface AnalyticsUsersTable {
  agent_id: string
  span_minutes: number
  starts_at: number
  source: string
  user_key: number
}

export interface ChatFeedbackTable {
  message_id: string
  session_id: string
  workspace_id: string
  agent_id: string
  rating: number
  comment: string | null
  created_at: number
  updated_at: number
}
