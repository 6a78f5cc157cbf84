import { sql, type RawBuilder } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Engine, Reader } from '#platform/db/database.ts'
import { testChannel, type ChannelsWanted } from './channels.ts'
import { counters, type Counter } from './figures.ts'
import type { Period } from './periods.ts'
import { maxStretches, stretchesOf, type SpanMinutes } from './spans.ts'

/** Which of an agent's figures are read. */
export interface FiguresWanted extends Period, ChannelsWanted {
  readonly agentId: string
}

export type Whose = Pick<FiguresWanted, 'agentId' | keyof ChannelsWanted>

/** The sums over the counted spans of one period. */
export interface PeriodSums extends Pick<
  Schema['analytics_figures'],
  Counter | 'latency_json' | 'first_token_json'
> {
  /** The number of the period. */
  readonly period: number
}

/**
 * The counted figures of each period, added up. Durations stay as they are written, joined by
 * commas: the engines are slower at adding them up than we are.
 */
export async function listFigures(
  reader: Reader,
  engine: Engine,
  whose: Whose,
  periods: readonly Period[],
): Promise<readonly PeriodSums[]> {
  const joined = sql.raw(engine === 'postgres' ? 'string_agg' : 'group_concat')
  const sums = counters.map(
    (column) => sql`cast(sum(${sql.ref(column)}) as bigint) as ${sql.ref(column)}`,
  )
  const { rows } = await sql<PeriodSums>`
    select period.number as period, ${sql.join(sums)},
      ${joined}(latency_json, ',') as latency_json,
      ${joined}(first_token_json, ',') as first_token_json
    from ${periodsOf(engine, periods)}
    cross join ${stretchesIn(engine)}
    cross join ${spansIn(engine, 'analytics_figures', whose)}
    group by period.number
  `.execute(reader)
  return rows
}

/**
 * How many different users were counted in each period. Each period has a subquery of its own:
 * sorting the users of all periods at once takes twice as long.
 */
export async function countUsers(
  reader: Reader,
  engine: Engine,
  whose: Whose,
  periods: readonly Period[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ period: number; users: number }>`
    select period.number as period, (
      select count(distinct counted.user_key)
      from ${stretchesIn(engine)}
      cross join ${spansIn(engine, 'analytics_users', whose)}
    ) as users
    from ${periodsOf(engine, periods)}
  `.execute(reader)
  return new Map(rows.map(({ period, users }) => [period, users]))
}

/** Restricts rows that have a channel. */
export function ofChannels({ source, includeTests }: ChannelsWanted): RawBuilder<unknown> {
  if (source !== undefined) return sql`and source = ${source}`
  return includeTests === true ? sql`` : sql`and source <> ${sql.lit(testChannel)}`
}

/** Which of some users were counted in which periods. */
export async function findUsers(
  reader: Reader,
  engine: Engine,
  whose: Whose,
  periods: readonly Period[],
  userKeys: readonly number[],
): Promise<readonly { readonly period: number; readonly user_key: number }[]> {
  const { rows } = await sql<{ period: number; user_key: number }>`
    select distinct period.number as period, counted.user_key
    from ${periodsOf(engine, periods)}
    cross join ${stretchesIn(engine)}
    cross join ${spansIn(engine, 'analytics_users', whose)}
    where counted.user_key in (${listed(engine, userKeys, 'bigint')})
  `.execute(reader)
  return rows
}

/** A list of values as one parameter, for `in`. */
function listed(
  engine: Engine,
  values: readonly (string | number)[],
  type: 'text' | 'bigint',
): RawBuilder<unknown> {
  const text = JSON.stringify(values)
  return engine === 'postgres'
    ? sql`select value::${sql.raw(type)} from json_array_elements_text(${text}::json) as value`
    : sql`select value from json_each(${text})`
}

/** Periods by their number, each with its stretches. */
function periodsOf(engine: Engine, periods: readonly Period[]): RawBuilder<unknown> {
  const list = periods.map(({ since, until }, n) => [
    n,
    stretchesOf(since, until).map((one) => [one.span, one.since, one.until]),
  ])
  const text = JSON.stringify(list)
  return engine === 'postgres'
    ? sql`(
        select (one ->> 0)::bigint as number, one -> 1 as stretches
        from json_array_elements(${text}::json) as one
      ) as period`
    : sql`(
        select value ->> 0 as number, value -> 1 as stretches from json_each(${text})
      ) as period`
}

/**
 * Without the limit PostgreSQL estimates a hundred rows and compiles the statement, which takes
 * longer than running it.
 */
function stretchesIn(engine: Engine): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`lateral (
        select value from json_array_elements(period.stretches) as one (value)
        limit ${sql.lit(maxStretches)}
      ) as stretch`
    : sql`json_each(period.stretches) as stretch`
}

/**
 * The rows of a stretch. SQLite runs a cross join in the order in which it is written: stretches
 * first, then the index. PostgreSQL keeps that order if it may not pull up the inner query, which
 * `offset 0` prevents.
 */
function spansIn(
  engine: Engine,
  table: 'analytics_figures' | 'analytics_users',
  whose: Whose,
): RawBuilder<unknown> {
  const { agentId } = whose
  const ofSource = ofChannels(whose)
  return engine === 'postgres'
    ? sql`lateral (
        select * from ${sql.table(table)}
        where agent_id = ${agentId} and span_minutes = (stretch.value ->> 0)::bigint
          and starts_at >= (stretch.value ->> 1)::bigint
          and starts_at < (stretch.value ->> 2)::bigint ${ofSource}
        offset 0
      ) as counted`
    : sql`${sql.table(table)} as counted
        on counted.agent_id = ${agentId} and counted.span_minutes = (stretch.value ->> 0)
          and counted.starts_at >= (stretch.value ->> 1)
          and counted.starts_at < (stretch.value ->> 2) ${ofSource}`
}

export interface DayTotal {
  readonly what: string
  readonly count: number
}

/** The tables of the two lists, and what they count. */
export const dayLists = {
  questions: { table: 'analytics_questions', what: 'question', count: 'conversations' },
  citations: { table: 'analytics_citations', what: 'source_id', count: 'answers' },
} as const
export type ListName = keyof typeof dayLists

/** What was counted most on whole days (UTC), highest count first; ties by the text. */
export function listTop(reader: Reader, list: ListName, days: FiguresWanted, limit: number) {
  const ordered = sql`order by 2 desc, 1 limit ${limit}`
  return totalsOf(reader, list, days, sql``, ordered)
}

/** How often each of these was counted on whole days (UTC). */
export async function listTotals(
  reader: Reader,
  engine: Engine,
  list: ListName,
  days: FiguresWanted,
  whats: readonly string[],
): Promise<readonly DayTotal[]> {
  if (whats.length === 0) return []
  const among = sql`and ${sql.ref(dayLists[list].what)} in (${listed(engine, whats, 'text')})`
  return await totalsOf(reader, list, days, among, sql``)
}

/** Which part of a count is wanted. Only tests are counted apart from other channels. */
function partOf(
  count: RawBuilder<unknown>,
  { source, includeTests }: ChannelsWanted,
): RawBuilder<unknown> {
  if (source === testChannel) return sql`tests`
  return source === undefined && includeTests === true ? count : sql`${count} - tests`
}

async function totalsOf(
  reader: Reader,
  list: ListName,
  { agentId, since, until, ...channels }: FiguresWanted,
  among: RawBuilder<unknown>,
  ordered: RawBuilder<unknown>,
): Promise<readonly DayTotal[]> {
  const { table, what, count } = dayLists[list]
  const part = partOf(sql.ref(count), channels)
  const { rows } = await sql<DayTotal>`
    select ${sql.ref(what)} as what, cast(sum(${part}) as bigint) as count
    from ${sql.table(table)}
    where agent_id = ${agentId} and day >= ${since} and day < ${until} ${among}
    group by 1 having sum(${part}) > 0 ${ordered}
  `.execute(reader)
  return rows
}

/** Titles of the agent's sources. */
export function listTitles(
  reader: Reader,
  agentId: string,
  sourceIds: readonly string[],
): Promise<{ id: string; title: string }[]> {
  return reader
    .selectFrom('knowledge_sources')
    .select(['id', 'title'])
    .where('agent_id', '=', agentId)
    .where('id', 'in', sourceIds)
    .execute()
}

export interface Sales {
  readonly starts_at: number
  readonly currency: string
  readonly orders: number
  /** Of the orders, less refunds; minor units. */
  readonly revenue: number
}

/**
 * Orders and their revenue by the span in which they were placed: either those paid with test payments or
 * the others. The first part reads only an index.
 */
export async function listSales(
  reader: Reader,
  { agentId, since, until }: FiguresWanted,
  { isTest, span }: { readonly isTest: boolean; readonly span: SpanMinutes },
): Promise<readonly Sales[]> {
  const spanMs = sql.lit(span * 60_000)
  const start = sql`placed.created_at / ${spanMs} * ${spanMs}`
  const wanted = sql`placed.agent_id = ${agentId} and placed.is_test = ${isTest ? 1 : 0}
    and placed.created_at >= ${since} and placed.created_at < ${until}`
  // A subquery for the refunds of each order takes twice as long as everything else.
  const { rows } = await sql<Sales>`
    select starts_at, currency, cast(sum(orders) as bigint) as orders,
      cast(sum(revenue) as bigint) as revenue
    from (
      select ${start} as starts_at, placed.currency, count(*) as orders,
        sum(placed.total_amount) as revenue
      from orders as placed where ${wanted} group by 1, placed.currency
      union all
      select ${start}, placed.currency, 0, -sum(refund.amount)
      from orders as placed
      join payments as refund on refund.order_id = placed.id and refund.kind = 'refund'
        and refund.status = 'succeeded'
      where ${wanted} group by 1, placed.currency
    ) as parts
    group by starts_at, currency
  `.execute(reader)
  return rows
}
