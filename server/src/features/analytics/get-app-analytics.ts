import { requireAgent } from '#features/agents/index.ts'
import { readWatermark } from '#features/conversations/index.ts'
import { dayMs } from '#kernel/durations.ts'
import type { Context } from '#platform/context.ts'
import { readFigures, type PeriodFigures } from './read-figures.ts'
import { readRange, type AnalyticsRange, type Period, type RangeQuery } from './periods.ts'
import { readTopLists, type TopLists } from './top-lists.ts'
import { readTopModels, type TopModel } from './top-models.ts'
import type { ChannelsWanted } from './channels.ts'
import { percentile } from './duration-buckets.ts'
import type { Counter } from './figures.ts'

/** Figures under the names that they have in an answer. */
type AnalyticsCounts = Readonly<Record<Counter, number>> & {
  /** Different end users who wrote, as the calling application names them. */
  readonly users: number
  readonly latency_p50_ms: number | null
  readonly latency_p95_ms: number | null
  readonly first_token_p50_ms: number | null
  /** Paid with real money, or with test payments if the service takes these. */
  readonly orders: number
  /** Of these orders, less refunds: minor units by currency. */
  readonly revenue: Readonly<Record<string, number>>
}

type AnalyticsPeriod = AnalyticsCounts & {
  /** Epoch milliseconds. */
  readonly startsAt: number
}

export interface AppAnalytics extends TopLists {
  /** The models that answered, most turns first. */
  readonly topModels: readonly TopModel[]
  readonly agentId: string
  readonly range: AnalyticsRange
  readonly totals: AnalyticsCounts
  /** Of the same number of days right before. */
  readonly previous: AnalyticsCounts
  /** The periods in which anything happened, oldest first. */
  readonly series: readonly AnalyticsPeriod[]
  /** Up to here the job has counted; later rows were counted for this answer. Epoch milliseconds. */
  readonly countedUntil: number
}

interface AnalyticsQuery extends RangeQuery, ChannelsWanted {
  /** UUID or `app_name_id`. */
  readonly appId: string
}

type AnalyticsContext = Pick<Context, 'db' | 'clock' | 'payments'>

/**
 * An agent's figures, by default of the last thirty days. They combine what the job has counted with
 * the rows that it has not reached, so they are exact to the moment of the request.
 *
 * @throws Fault range_invalid, time_zone_unknown, record_not_found
 */
export async function getAppAnalytics(
  ctx: AnalyticsContext,
  workspaceId: string,
  query: AnalyticsQuery,
): Promise<AppAnalytics> {
  const range = readRange(query, ctx.clock.now())
  const { since, until } = range
  const agent = await requireAgent(ctx.db.read, workspaceId, query.appId)
  const { source, includeTests } = query
  const wanted = { agentId: agent.id, source, includeTests }
  const { found, lists, countedUntil } = await whileUnmoved(ctx, range, async (reachedAt) => {
    // In parallel: PostgreSQL serves each connection from a process of its own.
    const [found, lists, topModels] = await Promise.all([
      readFigures(ctx, wanted, range, reachedAt),
      readTopLists(ctx, { ...wanted, since, until }, reachedAt),
      readTopModels(ctx, { ...wanted, since, until }, reachedAt),
    ])
    return { found, lists: { ...lists, topModels } }
  })
  return {
    agentId: agent.id,
    range,
    totals: countsOf(found.totals),
    previous: countsOf(found.previous),
    series: range.periods.flatMap((period, n) => periodOf(period, found.periods[n])),
    countedUntil,
    ...lists,
  }
}

/** Reads that the watermark may interrupt before the request fails. */
const maxTries = 50

/**
 * Several statements read the figures. They are read again if the watermark moved within the range
 * meanwhile, or if uncounted rows were deleted.
 */
async function whileUnmoved<T extends object>(
  { db }: Pick<Context, 'db'>,
  range: AnalyticsRange,
  read: (reachedAt: number) => Promise<T>,
): Promise<T & { readonly countedUntil: number }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await readWatermark(db.report, 'analytics')
    const found = await read(before.reached_at)
    const { reached_at: countedUntil, generation } = await readWatermark(db.report, 'analytics')
    const isStill = before.reached_at === countedUntil
    const isOutside =
      countedUntil <= range.previous.since - dayMs || before.reached_at >= range.until + dayMs
    if ((isStill || isOutside) && before.generation === generation)
      return { ...found, countedUntil }
  }
  throw new Error('the watermark moved during every attempt to read figures')
}

function periodOf({ since }: Period, found: PeriodFigures | undefined): AnalyticsPeriod[] {
  return found === undefined || found.isEmpty ? [] : [{ startsAt: since, ...countsOf(found) }]
}

function countsOf({ figures, users, orders, revenue }: PeriodFigures): AnalyticsCounts {
  const { latency, firstToken, ...counts } = figures
  const median = percentile(latency, 0.5)
  const medianFirst = percentile(firstToken, 0.5)
  return {
    ...counts,
    users,
    latency_p50_ms: median,
    latency_p95_ms: percentile(latency, 0.95),
    // Spans that an older version counted include the first words of other answers.
    first_token_p50_ms:
      median === null || medianFirst === null ? null : Math.min(medianFirst, median),
    orders,
    revenue,
  }
}
