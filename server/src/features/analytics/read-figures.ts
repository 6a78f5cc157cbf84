import { pagesOf } from '#features/conversations/index.ts'
import type { Context } from '#platform/context.ts'
import { isWantedChannel } from './channels.ts'
import { readCalls, readCosts, readMessages } from './counted-rows-store.ts'
import { addWritten } from './duration-buckets.ts'
import { addFigures, counters, noFigures, type Figures } from './figures.ts'
import {
  countUsers,
  findUsers,
  listFigures,
  listSales,
  type FiguresWanted,
  type Whose,
  type PeriodSums,
  type Sales,
} from './figures-store.ts'
import type { AnalyticsRange, Period } from './periods.ts'
import { commonSpan, spans } from './spans.ts'
import { Tally } from './tally.ts'

/** The figures of one period. */
export interface PeriodFigures {
  readonly figures: Figures
  readonly users: number
  readonly orders: number
  /** Minor units by currency. */
  readonly revenue: Readonly<Record<string, number>>
  readonly isEmpty: boolean
}

export interface FoundFigures {
  readonly totals: PeriodFigures
  readonly previous: PeriodFigures
  /** In the order of the range's periods. */
  readonly periods: readonly PeriodFigures[]
}

/**
 * The figures of a range and of the range before it.
 *
 * @param reachedAt rows before this moment are counted already
 */
export async function readFigures(
  { db, payments }: Pick<Context, 'db' | 'payments'>,
  wanted: Whose,
  range: AnalyticsRange,
  reachedAt: number,
): Promise<FoundFigures> {
  const all = [range.previous, ...range.periods]
  const whole = { ...wanted, since: range.previous.since, until: range.until }
  const span = commonSpan(all.map(({ since }) => since))
  const figures = all.map(() => noFigures())
  const place = placesOf(all)
  const live = await readLive(db, whole, reachedAt)
  const [counted, users, sales] = await Promise.all([
    listFigures(db.report, db.engine, wanted, all),
    readUsers(db, wanted, range, live),
    listSales(db.report, whole, { isTest: payments.isTest, span }),
  ])
  for (const sums of counted) {
    const own = figures[sums.period]
    if (own !== undefined) addSums(own, sums)
  }
  for (const { place: spot, figures: more } of live.places.values()) {
    const own = figures[place(spot.startsAt)]
    if (own !== undefined) addFigures(own, more)
  }
  const byPeriod = Map.groupBy(sales, ({ starts_at: at }) => place(at))
  const salesOf = all.map((_, n) => byPeriod.get(n) ?? [])
  const [previous, ...periods] = figures.map((own, n) => summary(own, users[n], salesOf[n] ?? []))
  const total = noFigures()
  for (const own of figures.slice(1)) addFigures(total, own)
  return {
    totals: summary(total, users.at(-1), salesOf.slice(1).flat()),
    previous: previous ?? summary(noFigures(), 0, []),
    periods,
  }
}

/** Finds the number of the period that holds a moment; the periods have no gaps between them. */
function placesOf(periods: readonly Period[]): (at: number) => number {
  return (at) => {
    let low = 0
    let high = periods.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((periods[middle]?.since ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** The rows that the job has not reached, counted as the job will count them. */
async function readLive(
  db: Context['db'],
  { agentId, since, until, ...channels }: FiguresWanted,
  reachedAt: number,
): Promise<Tally> {
  const tally = new Tally([spans[0]])
  const wanted = { agentId, since: Math.max(since, reachedAt), until }
  if (wanted.since >= until) return tally
  const isWanted = (row: { readonly source: string }) => isWantedChannel(channels, row.source)
  for await (const { rows } of pagesOf((page) => readMessages(db.report, db.engine, page), wanted))
    for (const row of rows.filter(isWanted)) tally.countMessage(row)
  for await (const { rows } of pagesOf((page) => readCalls(db.report, page), wanted))
    for (const row of rows.filter(isWanted)) tally.countCall(row)
  for await (const { rows } of pagesOf((page) => readCosts(db.report, db.engine, page), wanted))
    for (const row of rows.filter(isWanted)) tally.countCost(row)
  return tally
}

function summary(
  figures: Figures,
  users: number | undefined,
  sales: readonly Sales[],
): PeriodFigures {
  const orders = sales.reduce((sum, sale) => sum + sale.orders, 0)
  const { messages, cost_micros, action_calls, ratings_up, ratings_down } = figures
  const happened = messages + cost_micros + action_calls + ratings_up + ratings_down + orders
  const revenue = revenueOf(sales)
  return { figures, users: users ?? 0, orders, revenue, isEmpty: happened === 0 }
}

function revenueOf(sales: readonly Sales[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { currency, revenue } of sales) sums[currency] = (sums[currency] ?? 0) + revenue
  return sums
}

function addSums(to: Figures, row: PeriodSums): void {
  for (const counter of counters) to[counter] += row[counter]
  addWritten(to.latency, row.latency_json)
  addWritten(to.firstToken, row.first_token_json)
}

/**
 * The number of different users in the range before, in each period, and in the whole range: the
 * counted users, and those that only uncounted rows name.
 */
async function readUsers(
  db: Context['db'],
  wanted: Whose,
  range: AnalyticsRange,
  live: Tally,
): Promise<number[]> {
  const all = [range.previous, ...range.periods, range]
  const [inPeriods, inRanges] = await Promise.all([
    countUsers(db.report, db.engine, wanted, range.periods),
    countUsers(db.report, db.engine, wanted, [range.previous, range]),
  ])
  const counts = [
    inRanges.get(0) ?? 0,
    ...range.periods.map((_, n) => inPeriods.get(n) ?? 0),
    inRanges.get(1) ?? 0,
  ]
  const seen = [...live.places.values()].flatMap(({ place, users }) =>
    [...users].map((user) => ({ user, at: place.startsAt })),
  )
  if (seen.length === 0) return counts
  const keys = [...new Set(seen.map(({ user }) => user))]
  const known = Map.groupBy(
    await findUsers(db.report, db.engine, wanted, all, keys),
    ({ period }) => period,
  )
  return all.map(({ since, until }, n) => {
    const isWithin = (at: number) => at >= since && at < until
    const now = new Set(seen.filter(({ at }) => isWithin(at)).map(({ user }) => user))
    for (const { user_key: user } of known.get(n) ?? []) now.delete(user)
    return (counts[n] ?? 0) + now.size
  })
}
