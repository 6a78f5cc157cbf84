import { sql, type RawBuilder } from 'kysely'
import type { Engine } from '#platform/db/database.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { sessionsWith } from './search-index-store.ts'

/** A term of the search, and the conversations that contain it but are not indexed yet. */
interface SearchedTerm {
  readonly term: string
  readonly recentSessionIds: readonly string[]
}

export interface ConversationSearch {
  readonly agentNumber: number
  readonly terms: readonly SearchedTerm[]
}

/** The conditions on a row of `chat_sessions`. */
export function filterConditions(
  engine: Engine,
  filter: Omit<ConversationFilter, 'query'>,
  search: ConversationSearch | null,
): RawBuilder<boolean>[] {
  const { from, to, source, endUser, rating, hasError, unanswered, model, minMessages } = filter
  const conditions = [
    from === undefined ? null : sql<boolean>`chat_sessions.created_at >= ${from}`,
    to === undefined ? null : sql<boolean>`chat_sessions.created_at < ${to}`,
    source === undefined ? null : sql<boolean>`chat_sessions.source = ${source}`,
    endUser === undefined ? null : sql<boolean>`chat_sessions.end_user = ${endUser}`,
    minMessages === undefined ? null : sql<boolean>`chat_sessions.message_count >= ${minMessages}`,
    rating === undefined ? null : rated(rating === 'up' ? 1 : -1),
    hasError === undefined ? null : holds(hasError, sql`message.error_code is not null`),
    unanswered === undefined ? null : holds(unanswered, isUnanswered),
    model === undefined ? null : holds(true, sql`message.model = ${model}`),
    ...(search?.terms ?? []).map((term) => says(engine, search?.agentNumber ?? 0, term)),
  ]
  return conditions.filter((condition) => condition !== null)
}

function rated(rating: number): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from chat_feedback as feedback
    where feedback.session_id = chat_sessions.id and feedback.rating = ${rating}
  )`
}

/** Knowledge had no answer, and no action answered instead. */
const isUnanswered = sql`message.citations_json = '[]' and message.error_code is null
  and not exists (
    select 1 from action_calls as call
    where call.session_id = message.session_id and call.message_id = message.id
  )`

function holds(wanted: boolean, what: RawBuilder<unknown>): RawBuilder<boolean> {
  const exists = sql`exists (
    select 1 from chat_messages as message
    where message.session_id = chat_sessions.id and ${what}
  )`
  return wanted ? sql<boolean>`${exists}` : sql<boolean>`not ${exists}`
}

function says(
  engine: Engine,
  agentNumber: number,
  { term, recentSessionIds }: SearchedTerm,
): RawBuilder<boolean> {
  const list = JSON.stringify(recentSessionIds)
  const recent =
    engine === 'postgres'
      ? sql`select json_array_elements_text(${list}::json)`
      : sql`select value from json_each(${list})`
  return sql<boolean>`chat_sessions.id in (
    ${sessionsWith(engine, agentNumber, term)} union all ${recent}
  )`
}
