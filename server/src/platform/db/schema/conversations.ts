import type { Generated } from 'kysely'

export interface ConversationsSchema {
  watermarks: {
    name: 'analytics' | 'conversation_search' | 'credit_days'
    /** Rows older than this moment are done. */
    reached_at: number
    /** A deletion of rows that are not done yet increases it. */
    generation: number
    began_at: number | null
  }
  /** Conversations that are being deleted in several units; see deleted-session-store.ts. */
  deleted_sessions: { id: string; workspace_id: string; agent_id: string; question_taken: 0 | 1 }
  /** PostgreSQL only: what a conversation said, as an array. */
  conversation_terms: { id: Generated<number>; session_id: string }
  /** SQLite only: the same, its terms in `conversation_index`. */
  conversation_documents: { id: Generated<number>; session_id: string }
  /** SQLite only: an FTS5 table; rowid is the document's id. */
  conversation_index: { rowid: number; terms: string }
}
