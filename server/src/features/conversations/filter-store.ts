import { sql, type RawBuilder } from 'kysely'
import type { Engine, Reader } from '#platform/db/database.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { containsTerm, type SearchedTerm } from './search-index-store.ts'

/** The conditions on a row of `chat_sessions`. */
export function filterConditions(
  engine: Engine,
  filter: Omit<ConversationFilter, 'query'>,
  terms: readonly SearchedTerm[],
  listedModels: readonly string[] | null,
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
    model === undefined ? null : answeredBy(engine, model, listedModels),
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

/** An index has only the conversations with one of these (migration 67): an answer failed, or was rated. */
const marks = sql.lit(facts.failed | facts.ratedUp | facts.ratedDown)

/** Whether the knowledge had no answer in a conversation: a condition on a row of `chat_sessions`. */
export function isUnanswered(engine: Engine): RawBuilder<boolean> {
  return has(engine, facts.unanswered)
}

/**
 * PostgreSQL compares a list of values within its index and knows how frequent they are. An expression makes
 * it look in the table whether each entry of the index is visible.
 */
function has(engine: Engine, fact: number, wanted = true): RawBuilder<boolean> {
  const isSo = hasOrNot(engine, fact, wanted)
  if (!wanted || fact === facts.unanswered) return isSo
  return sql<boolean>`(chat_sessions.facts & ${marks} <> 0 and ${isSo})`
}

function hasOrNot(engine: Engine, fact: number, wanted: boolean): RawBuilder<boolean> {
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
function answeredBy(
  engine: Engine,
  model: string,
  listed: readonly string[] | null,
): RawBuilder<boolean> {
  const position = sql.raw(engine === 'postgres' ? 'strpos' : 'instr')
  const inMessages = sql<boolean>`exists (
    select 1 from chat_messages as message
    where message.session_id = chat_sessions.id and message.model = ${model}
  )`
  if (listed === null)
    return sql<boolean>`(
      ${position}(chat_sessions.models, ${`\n${model}\n`}) > 0
      or chat_sessions.models = '*' and ${inMessages}
    )`
  const values = [...listed, '*'].map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  return sql<boolean>`(
    chat_sessions.models = any(${`{${values.join(',')}}`}::text[])
    and (chat_sessions.models <> '*' or ${inMessages})
  )`
}

const mostListed = 500

/**
 * On PostgreSQL, the values of `models` among an agent's conversations that name a model. It compares a list
 * of values much faster than it searches each of them, and knows how frequent they are. Null if there are
 * too many values, and on SQLite.
 */
export async function listModels(
  reader: Reader,
  engine: Engine,
  agentId: string,
  model: string | undefined,
): Promise<readonly string[] | null> {
  if (engine === 'sqlite' || model === undefined) return null
  // Jumps from one value to the next in the index.
  const { rows } = await sql<{ models: string }>`
    with recursive known (models) as (
      (select models from chat_sessions where agent_id = ${agentId} order by models limit 1)
      union all
      select (
        select next.models from chat_sessions as next
        where next.agent_id = ${agentId} and next.models > known.models
        order by next.models limit 1
      ) from known where known.models is not null
    )
    select models from known where models is not null limit ${sql.lit(mostListed + 1)}
  `.execute(reader)
  if (rows.length > mostListed) return null
  return rows.map(({ models }) => models).filter((models) => models.includes(`\n${model}\n`))
}
