import { sql, type RawBuilder } from 'kysely'
import type { Engine } from '#platform/db/database.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { containsTerm, type SearchedTerm } from './search-index-store.ts'

/** The conditions on a row of `chat_sessions`. */
export function filterConditions(
  engine: Engine,
  filter: Omit<ConversationFilter, 'query'>,
  terms: readonly SearchedTerm[],
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
    ...terms.map((term) => containsTerm(engine, term)),
  ]
  return conditions.filter((condition) => condition !== null)
}

function rated(rating: number): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from chat_feedback as feedback
    where feedback.session_id = chat_sessions.id and feedback.rating = ${rating}
  )`
}

/** The knowledge had no answer, and no action was called for the answer. */
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
