import type { Context } from '#platform/context.ts'
import { countUsers, findUsers, type FiguresWanted } from './figures-store.ts'
import type { AnalyticsRange } from './periods.ts'
import type { Tally } from './tally.ts'

/**
 * The number of different users in the range before, in each period, and in the whole range: the
 * counted users, and those that only uncounted rows name.
 */
export async function readUsers(
  db: Context['db'],
  wanted: Pick<FiguresWanted, 'agentId' | 'source'>,
  range: AnalyticsRange,
  live: Tally,
): Promise<number[]> {
  const all = [range.previous, ...range.periods, range]
  const [inPeriods, inRanges] = await Promise.all([
    countUsers(db.scan, db.engine, wanted, range.periods),
    countUsers(db.scan, db.engine, wanted, [range.previous, range]),
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
    await findUsers(db.scan, db.engine, wanted, all, keys),
    ({ period }) => period,
  )
  return all.map(({ since, until }, n) => {
    const isWithin = (at: number) => at >= since && at < until
    const now = new Set(seen.filter(({ at }) => isWithin(at)).map(({ user }) => user))
    for (const { user_key: user } of known.get(n) ?? []) now.delete(user)
    return (counts[n] ?? 0) + now.size
  })
}
