import { sql, type RawBuilder } from 'kysely'
import type { Engine, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { addToWritten } from './duration-buckets.ts'
import { counters } from './figures.ts'
import { dayLists, type ListName } from './figures-store.ts'
import type { DayCount, Place, PlacedFigures } from './tally.ts'

const figureKey = ['agent_id', 'span_minutes', 'starts_at', 'source'] as const

/** Both engines bound the parameters of one statement. */
const maxRowsAtOnce = 100

/**
 * A step: adds figures to those their spans already hold.
 *
 * @returns the agent of each new row of `analytics_users`
 */
export async function addToRollups(
  tx: Tx,
  engine: Engine,
  placed: readonly PlacedFigures[],
): Promise<readonly string[]> {
  for (let at = 0; at < placed.length; at += maxRowsAtOnce)
    await addSome(tx, placed.slice(at, at + maxRowsAtOnce))
  const users = placed.flatMap(({ place, users }) =>
    [...users].map((user) => [place.agentId, place.span, place.startsAt, place.source, user]),
  )
  if (users.length === 0) return []
  const { rows } = await sql<{ agent_id: string }>`
    insert into analytics_users (agent_id, span_minutes, starts_at, source, user_key)
    ${rowsOf(engine, users, ['text', 'bigint', 'bigint', 'text', 'bigint'])}
    on conflict do nothing
    returning agent_id
  `.execute(tx)
  return rows.map(({ agent_id }) => agent_id)
}

type Cell = string | number

/** Many rows as one parameter: compiling a statement with every value costs more than running it. */
export function rowsOf(
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
  // Without a condition SQLite would parse the following `on conflict` as part of a join.
  return sql`select ${sql.join(columns)} from ${source} where true`
}

async function addSome(tx: Tx, placed: readonly PlacedFigures[]): Promise<void> {
  const known = await durationsOf(tx, placed)
  const rows = placed.map(({ place, figures: { latency, firstToken, ...counts } }) => {
    const key = keyOf(place)
    const before = known.get(nameOf(key))
    return {
      ...key,
      ...counts,
      latency_json: addToWritten(before?.latency_json, latency),
      first_token_json: addToWritten(before?.first_token_json, firstToken),
    }
  })
  await tx
    .insertInto('analytics_figures')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns([...figureKey]).doUpdateSet((e) => ({
        ...Object.fromEntries(
          counters.map((column) => [
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

/** The durations that the spans hold now: the engine cannot add these up. */
async function durationsOf(tx: Tx, placed: readonly PlacedFigures[]) {
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
  return new Map(rows.map((row) => [nameOf(row), row]))
}

type FigureKey = Pick<Schema['analytics_figures'], (typeof figureKey)[number]>

function keyOf({ agentId, span, startsAt, source }: Place): FigureKey {
  return { agent_id: agentId, span_minutes: span, starts_at: startsAt, source }
}

function nameOf(key: FigureKey): string {
  return figureKey.map((column) => key[column]).join(' ')
}

function rowsOfDays(engine: Engine, counts: readonly DayCount[]): RawBuilder<unknown> {
  const rows = counts.map(({ agentId, day, what, count, tests }) => [
    agentId,
    day,
    what,
    count,
    tests,
  ])
  return rowsOf(engine, rows, ['text', 'bigint', 'text', 'bigint', 'bigint'])
}

/** A step: adds to what the days of a list have counted. */
export async function addToDays(
  tx: Tx,
  engine: Engine,
  list: ListName,
  counts: readonly DayCount[],
): Promise<void> {
  if (counts.length === 0) return
  const [table, column] = [sql.table(dayLists[list].table), sql.ref(dayLists[list].count)]
  const key = sql`agent_id, day, ${sql.ref(dayLists[list].what)}`
  await sql`
    insert into ${table} (${key}, ${column}, tests)
    ${rowsOfDays(engine, counts)}
    on conflict (${key}) do update set ${column} = ${table}.${column} + excluded.${column},
      tests = ${table}.tests + excluded.tests
  `.execute(tx)
}

/** How many of the most frequent questions are kept of each past day (UTC). */
const questionsPerDay = 200

/** A step: keeps each agent's most frequent questions of a day; ties by their text. */
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

/** A step: subtracts the questions of conversations that are being deleted. */
export async function takeQuestions(
  tx: Tx,
  engine: Engine,
  counts: readonly DayCount[],
): Promise<void> {
  if (counts.length === 0) return
  const gone = sql`with gone (agent_id, day, question, conversations, tests) as (
    ${rowsOfDays(engine, counts)}
  )`
  // A version before did not count tests separately: there may be none to subtract.
  await sql`
    ${gone}
    update analytics_questions as held set
      conversations = held.conversations - gone.conversations,
      tests = case when held.tests > gone.tests then held.tests - gone.tests else 0 end
    from gone
    where held.agent_id = gone.agent_id and held.day = gone.day and held.question = gone.question
  `.execute(tx)
  await sql`
    ${gone}
    delete from analytics_questions
    where (agent_id, day, question) in (select agent_id, day, question from gone)
      and conversations <= 0
  `.execute(tx)
}

/** A step: gives a counted end user another key; the counts stay. */
export async function renameUser(tx: Tx, agentId: string, userKey: number, to: number) {
  await tx
    .updateTable('analytics_users')
    .set({ user_key: to })
    .where('agent_id', '=', agentId)
    .where('user_key', '=', userKey)
    .execute()
}
