import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'

export type MessageRow = Selectable<Schema['chat_messages']>
/** Without the columns that triggers keep. */
export type SessionRow = Omit<Selectable<Schema['chat_sessions']>, 'facts' | 'models'>

export const sessionColumns = columnsOf({
  id: true,
  workspace_id: true,
  agent_id: true,
  agent_version: true,
  source: true,
  end_user: true,
  created_at: true,
  last_message_at: true,
  message_count: true,
  lease_token: true,
  lease_until: true,
} satisfies Record<keyof SessionRow, true>)

export const messageColumns = columnsOf({
  session_id: true,
  seq: true,
  id: true,
  role: true,
  content: true,
  parts_json: true,
  calls_json: true,
  model: true,
  prompt_tokens: true,
  completion_tokens: true,
  cached_tokens: true,
  latency_ms: true,
  first_token_ms: true,
  finish_reason: true,
  error_code: true,
  citations_json: true,
  reasoning: true,
  correlation_id: true,
  created_at: true,
} satisfies Record<keyof MessageRow, true>)

function columnsOf<Column extends string>(columns: Record<Column, true>): readonly Column[] {
  // The keys of an object literal are those of its type.
  return Object.keys(columns) as Column[]
}
