import { sql, type Selectable } from 'kysely'
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
  reasoning_tokens: true,
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

/** The columns of a session that triggers keep. */
export type Summary = Pick<Selectable<Schema['chat_sessions']>, 'facts' | 'models'>

type Answer = Pick<MessageRow, 'session_id' | 'id' | 'model' | 'error_code' | 'citations_json'>

/**
 * What the triggers of migration 30 would make of a new session after its first answer, so that they
 * find nothing to change: each change would write the row and its index again. They add what this
 * leaves out. A whole turn has no calls of actions, which the triggers look for.
 */
export function summaryOf({
  model,
  error_code,
  citations_json,
}: Omit<Answer, 'session_id' | 'id'>): Summary {
  const isUnanswered = error_code === null && citations_json === '[]'
  const listed = model === null ? '' : model.length <= longestList ? `\n${model}\n` : anyModel
  return { facts: error_code === null ? (isUnanswered ? 2 : 0) : 1, models: listed }
}

const longestList = 500
/** For a list that would be too long. */
const anyModel = '*'

/** The same on PostgreSQL for an answer to a session that exists. */
export function factsWith({ session_id, id, model, error_code, citations_json }: Answer) {
  return {
    models: sql<string>`chat_models_with(models, ${model}::text)`,
    facts: sql<number>`facts | case
      when ${error_code}::text is not null then 1
      when ${citations_json}::text = '[]' and not exists (
        select 1 from action_calls where session_id = ${session_id} and message_id = ${id}
      ) then 2
      else 0 end`,
  }
}
