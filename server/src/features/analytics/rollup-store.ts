import { sql, type RawBuilder } from 'kysely'
import type { Engine, Tx } from '#platform/db/database.ts'
import type { AnalyticsFiguresTable } from '#platform/db/analytics-schema.ts'
import { addCounts, readCounts, writeCounts, type DurationCounts } from './duration-buckets.ts'
import type { Figures } from './figures.ts'
import type { DayCount, Place, PlacedFigures } from './tally.ts'

const added = [
  'sessions',
  'messages',
  'prompt_tokens',
  'completion_tokens',
  'cost_micros',
  'errors',
  'unanswered',
  'ratings_up',
  'ratings_down',
  'action_calls',
  'action_errors',
] as const satisfies readonly (keyof AnalyticsFiguresTable)[]

const figureKey = ['agent_id', 'span_minutes', 'starts_at', 'source'] as const

/** Both engines bound the parameters of one statement. */
const maxRowsAtOnce = 100

/** A step: adds figures to those of their spans. */
export async function addToRollups(
  tx: Tx,
  engine: Engine,
  placed: readonly PlacedFigures[],
): Promise<void> {
  for (let at = 0; at < placed.length; at += maxRowsAtOnce)
    await addSome(tx, placed.slice(at, at + maxRowsAtOnce))
  const users = placed.flatMap(({ place, users }) =>
    [...users].map((user) => [place.agentId, place.span, place.startsAt, place.source, user]),
  )
  if (users.length === 0) return
  await sql`
    insert into analytics_users (agent_id, span_minutes, starts_at, source, user_key)
    ${rowsOf(engine, users, ['text', 'bigint', 'bigint', 'text', 'bigint'])}
    on conflict do nothing
  `.execute(tx)
}

type Cell = string | number

/** Many rows as one parameter: a statement that names each value costs more to write than to run. */
function rowsOf(
  engine: Engine,
  rows: readonly (readonly Cell[])[],
  types: readonly ('text' | 'bigint')[],
): RawBuilder<unknown> {
  const text = JSON.stringify(rows)
  const isPostgres = engine === 'postgres'
  const columns = types.map((type, n) => {
    const value = sql`one.value ->> ${sql.lit(n)}`
    return isPostgres && type === 'bigint' ? sql`(${value})::bigint` : value
  })
  const source = isPostgres
    ? sql`json_array_elements(${text}::json) as one (value)`
    : sql`json_each(${text}) as one`
  // Without a condition SQLite takes what follows for a join.
  return sql`select ${sql.join(columns)} from ${source} where true`
}

async function addSome(tx: Tx, placed: readonly PlacedFigures[]): Promise<void> {
  const known = await durationsOf(tx, placed)
  const rows = placed.map(({ place, figures }) => {
    const before = known.get(nameOf(keyOf(place)))
    return { ...keyOf(place), ...countersOf(figures), ...durationColumns(figures, before) }
  })
  await tx
    .insertInto('analytics_figures')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns([...figureKey]).doUpdateSet((e) => ({
        ...Object.fromEntries(
          added.map((column) => [
            column,
            e(`analytics_figures.${column}`, '+', e.ref(`excluded.${column}`)),
          ]),
        ),
        latency_json: e.ref('excluded.latency_json'),
        first_token_json: e.ref('excluded.first_token_json'),
      })),
    )
    .execute()
}

interface Durations {
  readonly latency: DurationCounts
  readonly firstToken: DurationCounts
}

/** What is in the spans now: these cannot be added up by the engine. */
async function durationsOf(
  tx: Tx,
  placed: readonly PlacedFigures[],
): Promise<ReadonlyMap<string, Durations>> {
  const rows = await tx
    .selectFrom('analytics_figures')
    .select([...figureKey, 'latency_json', 'first_token_json'])
    .where((e) =>
      e.or(
        placed.map(({ place }) => {
          const key = keyOf(place)
          return e.and(figureKey.map((column) => e(column, '=', key[column])))
        }),
      ),
    )
    .execute()
  return new Map(
    rows.map((row) => [
      nameOf(row),
      { latency: readCounts(row.latency_json), firstToken: readCounts(row.first_token_json) },
    ]),
  )
}

function durationColumns(figures: Figures, before: Durations | undefined) {
  const sum = (now: DurationCounts, then: DurationCounts | undefined) => {
    const counts: DurationCounts = new Map(then)
    addCounts(counts, now)
    return writeCounts(counts)
  }
  return {
    latency_json: sum(figures.latency, before?.latency),
    first_token_json: sum(figures.firstToken, before?.firstToken),
  }
}

type FigureKey = Pick<AnalyticsFiguresTable, (typeof figureKey)[number]>

function keyOf({ agentId, span, startsAt, source }: Place): FigureKey {
  return { agent_id: agentId, span_minutes: span, starts_at: startsAt, source }
}

function nameOf(key: FigureKey): string {
  return figureKey.map((column) => key[column]).join(' ')
}

function countersOf(figures: Figures) {
  return {
    sessions: figures.sessions,
    messages: figures.messages,
    prompt_tokens: figures.promptTokens,
    completion_tokens: figures.completionTokens,
    cost_micros: figures.costMicros,
    errors: figures.errors,
    unanswered: figures.unanswered,
    ratings_up: figures.ratingsUp,
    ratings_down: figures.ratingsDown,
    action_calls: figures.actionCalls,
    action_errors: figures.actionErrors,
  }
}

/** A step: adds to how often something was asked on a day. */
export async function addQuestions(
  tx: Tx,
  engine: Engine,
  counts: readonly DayCount[],
): Promise<void> {
  if (counts.length === 0) return
  await sql`
    insert into analytics_questions (agent_id, day, question, conversations)
    ${dayCounts(engine, counts)}
    on conflict (agent_id, day, question)
    do update set conversations = analytics_questions.conversations + excluded.conversations
  `.execute(tx)
}

/** A step: adds to how many answers of a day rested on a source. */
export async function addCitations(
  tx: Tx,
  engine: Engine,
  counts: readonly DayCount[],
): Promise<void> {
  if (counts.length === 0) return
  await sql`
    insert into analytics_citations (agent_id, day, source_id, answers)
    ${dayCounts(engine, counts)}
    on conflict (agent_id, day, source_id)
    do update set answers = analytics_citations.answers + excluded.answers
  `.execute(tx)
}

function dayCounts(engine: Engine, counts: readonly DayCount[]): RawBuilder<unknown> {
  const rows = counts.map(({ agentId, day, what, count }) => [agentId, day, what, count])
  return rowsOf(engine, rows, ['text', 'bigint', 'text', 'bigint'])
}

/** Of each day (UTC) that is over, so many of the questions asked most are kept. */
const questionsPerDay = 200

/** A step: keeps of a day's questions, of every agent, those asked most; ties by their text. */
export async function keepTopQuestions(tx: Tx, day: number): Promise<void> {
  await sql`
    delete from analytics_questions
    where day = ${day} and (agent_id, day, question) in (
      select agent_id, day, question from (
        select agent_id, day, question, row_number() over (
          partition by agent_id order by conversations desc, question
        ) as place
        from analytics_questions where day = ${day}
      ) as ranked
      where place > ${questionsPerDay}
    )
  `.execute(tx)
}

/** A step: takes back questions of conversations that are deleted. */
export async function takeQuestions(tx: Tx, counts: readonly DayCount[]): Promise<void> {
  for (const { agentId, day, what, count } of counts)
    await tx
      .updateTable('analytics_questions')
      .set((e) => ({ conversations: e('conversations', '-', count) }))
      .where('agent_id', '=', agentId)
      .where('day', '=', day)
      .where('question', '=', what)
      .execute()
  for (const [agentId, own] of Map.groupBy(counts, (count) => count.agentId))
    await tx
      .deleteFrom('analytics_questions')
      .where('agent_id', '=', agentId)
      .where('day', 'in', [...new Set(own.map(({ day }) => day))])
      .where('conversations', '<=', 0)
      .execute()
}

/** A step: makes somebody who was counted into nobody, who stays counted. */
export async function renameUser(
  tx: Tx,
  agentId: string,
  userKey: number,
  to: number,
): Promise<void> {
  await tx
    .updateTable('analytics_users')
    .set({ user_key: to })
    .where('agent_id', '=', agentId)
    .where('user_key', '=', userKey)
    .execute()
}
