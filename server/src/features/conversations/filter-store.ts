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
    minMessages === undefined ? null : hasMessages(minMessages),
    rating === undefined ? null : has(engine, rating === 'up' ? facts.ratedUp : facts.ratedDown),
    hasError === undefined ? null : has(engine, facts.failed, hasError),
    unanswered === undefined ? null : has(engine, facts.unanswered, unanswered),
    model === undefined ? null : answeredBy(engine, model),
    ...terms.map((term) => containsTerm(engine, term)),
  ]
  return conditions.filter((condition) => condition !== null)
}

/** Bits of `chat_sessions.facts`, which triggers keep (migration 30). */
const facts = {
  failed: 1,
  /** The knowledge had no answer, and no action was called for the answer. */
  unanswered: 2,
  ratedUp: 4,
  ratedDown: 8,
}

/**
 * PostgreSQL compares a list of values within its index and knows how frequent they are. An expression makes
 * it look in the table whether each entry of the index is visible.
 */
function has(engine: Engine, fact: number, wanted = true): RawBuilder<boolean> {
  if (engine === 'postgres') {
    const values = allFacts.filter((value) => ((value & fact) !== 0) === wanted)
    return sql<boolean>`chat_sessions.facts = any(${`{${values.join(',')}}`}::bigint[])`
  }
  const bit = sql`chat_sessions.facts & ${sql.lit(fact)}`
  return wanted ? sql<boolean>`${bit} <> 0` : sql<boolean>`${bit} = 0`
}

/** With room for facts that the next version adds. */
const allFacts = Array.from({ length: 256 }, (_, value) => value)

/** The class decides alone for most sessions; only the others' rows are read beside the index. */
function hasMessages(least: number): RawBuilder<boolean> {
  const sizeClass = Math.min(6, Math.max(1, Math.floor(Math.log2(least))))
  if (least >= 4 && least === 2 ** sizeClass)
    return sql<boolean>`chat_sessions.size_class >= ${sizeClass}`
  return sql<boolean>`chat_sessions.size_class >= ${sizeClass}
    and (chat_sessions.size_class > ${sizeClass} or chat_sessions.message_count >= ${least})`
}

/** `models` is '*' if too many models answered to list them. */
function answeredBy(engine: Engine, model: string): RawBuilder<boolean> {
  const position = sql.raw(engine === 'postgres' ? 'strpos' : 'instr')
  return sql<boolean>`(
    ${position}(chat_sessions.models, ${`\n${model}\n`}) > 0 or chat_sessions.models = '*' and exists (
      select 1 from chat_messages as message
      where message.session_id = chat_sessions.id and message.model = ${model}
    )
  )`
}
