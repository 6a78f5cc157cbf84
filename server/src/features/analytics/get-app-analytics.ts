import { requireAgent } from '#features/agents/index.ts'
import { readWatermark } from '#features/conversations/index.ts'
import type { Context } from '#platform/context.ts'
import { readFigures, type PeriodFigures } from './read-figures.ts'
import { readRange, type AnalyticsRange, type Period, type RangeQuery } from './periods.ts'
import { readTopLists, type TopLists } from './top-lists.ts'
import { percentile } from './duration-buckets.ts'
import type { Counter } from './figures.ts'

export type AnalyticsCounts = Readonly<Record<Counter, number>> & {
  /** Different end users who wrote, as the calling application names them. */
  readonly users: number
  readonly latencyP50Ms: number | null
  readonly latencyP95Ms: number | null
  readonly firstTokenP50Ms: number | null
  /** Paid for real; where the service takes test payments, those paid with these. */
  readonly orders: number
  /** Of these orders, less what was given back since: minor units by currency. */
  readonly revenue: Readonly<Record<string, number>>
}

export interface AnalyticsPeriod extends AnalyticsCounts {
  /** When it begins; epoch milliseconds. */
  readonly startsAt: number
}

export interface AppAnalytics extends TopLists {
  readonly agentId: string
  readonly range: AnalyticsRange
  readonly totals: AnalyticsCounts
  /** Of as many days right before. */
  readonly previous: AnalyticsCounts
  /** The periods in which anything happened, oldest first. */
  readonly series: readonly AnalyticsPeriod[]
  /** How far counting has come: what is younger was counted for this answer. Epoch milliseconds. */
  readonly countedUntil: number
}

export interface AnalyticsQuery extends RangeQuery {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** Where the conversations came in, such as `api`; all by default. */
  readonly source?: string | undefined
}

type AnalyticsContext = Pick<Context, 'db' | 'clock' | 'payments'>

/**
 * What an agent was asked, answered, did and sold; the last thirty days by default. From what was
 * counted, and from the rows that were not counted yet: exact to the moment of asking.
 *
 * @throws Fault range_invalid, time_zone_unknown; record_not_found for an agent that is not in the
 *   workspace
 */
export async function getAppAnalytics(
  ctx: AnalyticsContext,
  workspaceId: string,
  query: AnalyticsQuery,
): Promise<AppAnalytics> {
  const range = readRange(query, ctx.clock.now())
  const agent = await requireAgent(ctx.db.read, workspaceId, query.appId)
  const wanted = { agentId: agent.id, source: query.source }
  const { found, lists, countedUntil } = await whileUnmoved(ctx, range, async (reachedAt) => {
    // At once: PostgreSQL has several processes to count with.
    const [found, lists] = await Promise.all([
      readFigures(ctx, wanted, range, reachedAt),
      readTopLists(ctx, agent.id, range, reachedAt),
    ])
    return { found, lists }
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

/** How often the counting may move on while figures are read before that is taken for a fault. */
const maxTries = 50

const dayMs = 86_400_000

/**
 * Several statements read the figures: they are read again where the counting moved on meanwhile
 * within what they read, or somebody deleted rows that were not counted yet.
 */
async function whileUnmoved<T extends object>(
  { db }: Pick<Context, 'db'>,
  range: AnalyticsRange,
  read: (reachedAt: number) => Promise<T>,
): Promise<T & { readonly countedUntil: number }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await readWatermark(db.read, 'analytics')
    const found = await read(before.reached_at)
    const { reached_at: countedUntil, generation } = await readWatermark(db.read, 'analytics')
    const isStill = before.reached_at === countedUntil
    const isOutside =
      countedUntil <= range.previous.since - dayMs || before.reached_at >= range.until + dayMs
    if ((isStill || isOutside) && before.generation === generation)
      return { ...found, countedUntil }
  }
  throw new Error('the counting moved on during every attempt to read figures')
}

function periodOf({ since }: Period, found: PeriodFigures | undefined): AnalyticsPeriod[] {
  return found === undefined || found.isEmpty ? [] : [{ startsAt: since, ...countsOf(found) }]
}

function countsOf({ figures, users, orders, revenue }: PeriodFigures): AnalyticsCounts {
  const { latency, firstToken, ...counts } = figures
  return {
    ...counts,
    users,
    latencyP50Ms: percentile(latency, 0.5),
    latencyP95Ms: percentile(latency, 0.95),
    firstTokenP50Ms: percentile(firstToken, 0.5),
    orders,
    revenue,
  }
}
