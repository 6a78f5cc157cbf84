import { z } from 'zod'
import {
  moveWatermark,
  readWatermark,
  settlingMs,
  type TimeWanted,
  type Watermark,
} from '#features/conversations/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  findOldestMoment,
  readCalls,
  readCosts,
  readMessages,
  readRequests,
} from './counted-rows-store.ts'
import { addCounted, forgetOldestUsers } from './keep-usage.ts'
import { addModels } from './models-store.ts'
import { addToDays, addToRollups, keepTopQuestions } from './rollup-store.ts'
import { daySpan, spans, startOfSpan } from './spans.ts'
import { Tally } from './tally.ts'

/** The most messages, calls and ledger entries that one unit counts. */
const rowsPerUnit = 500

type RollUpContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

/**
 * Counts the messages, calls and costs since the last run. A unit adds the figures of some rows to
 * their spans and moves the watermark past them, so each row is counted once even if the process
 * dies. The first run after an upgrade counts all rows.
 */
export const rollUpAnalytics = defineJob({
  kind: 'analytics.roll_up',
  input: z.object({}),
  everyMs: 60_000,
  maxAtOnce: 1,
  run: (ctx: RollUpContext, _input, { signal }): Promise<void> => rollUp(ctx, signal),
})

/** Runs until everything that had settled when it began is counted, or the signal aborts. */
export async function rollUp(ctx: RollUpContext, signal?: AbortSignal): Promise<void> {
  // Read once: a pass takes longer than a millisecond, so an end that follows the clock is never
  // reached.
  const until = ctx.clock.now() - settlingMs
  let from = await readWatermark(ctx.db.read, 'analytics')
  if (from.reached_at >= until || (await isNothingNew(ctx, from.reached_at, until))) return
  let reportedAt = ctx.clock.now()
  while (from.reached_at < until) {
    if (signal?.aborted === true) return
    if (from.began_at === null) await begin(ctx, from, until)
    else
      for (const [workspaceId, users] of await countSome(ctx, from, until))
        await forgetOldestUsers(ctx, workspaceId, users, signal)
    from = await readWatermark(ctx.db.read, 'analytics')
    if (ctx.clock.now() - reportedAt < progressEveryMs) continue
    reportedAt = ctx.clock.now()
    ctx.log.info(progressOf(from, until), 'counting conversations for analytics')
  }
}

/** Sets the watermark to the oldest row, before anything is counted. */
async function begin({ db }: RollUpContext, from: Watermark, until: number): Promise<void> {
  const oldest = Math.min((await findOldestMoment(db.scan)) ?? until, until)
  await db.write((tx) => moveWatermark(tx, from, { reachedAt: oldest, beganAt: oldest }))
}

const progressEveryMs = 5_000

/** Checks with short reads, so that an idle service does not start the scan worker every minute. */
async function isNothingNew({ db }: RollUpContext, since: number, until: number): Promise<boolean> {
  const wanted = { since, until, limit: 1 }
  if ((await readMessages(db.read, db.engine, wanted)).length > 0) return false
  if ((await readCalls(db.read, wanted)).length > 0) return false
  if ((await readRequests(db.read, wanted)).length > 0) return false
  return (await readCosts(db.read, db.engine, wanted)).length === 0
}

function progressOf({ began_at: beganAt, reached_at: reached }: Watermark, until: number) {
  const whole = until - (beganAt ?? reached)
  const done = whole <= 0 ? 1 : (reached - (beganAt ?? reached)) / whole
  return { percent: Math.floor(done * 100), until: new Date(reached).toISOString() }
}

/**
 * One unit of work. It changes nothing if another process has moved the watermark.
 *
 * @returns the number of end users that are now counted, of each workspace
 */
async function countSome(
  ctx: RollUpContext,
  from: Watermark,
  until: number,
): Promise<ReadonlyMap<string, number>> {
  const since = from.reached_at
  const { tally, end } = await tallySome(ctx, { since, until: Math.min(until, since + dayMs) })
  return await ctx.db.write(async (tx) => {
    const beganAt = from.began_at ?? since
    if (!(await moveWatermark(tx, from, { reachedAt: end, beganAt }))) return new Map()
    const { engine } = ctx.db
    const asked = [...tally.questions.values()].filter(({ count }) => count > 0)
    const newUsers = await addToRollups(tx, engine, [...tally.places.values()])
    await addToDays(tx, engine, 'questions', asked)
    await addToDays(tx, engine, 'citations', [...tally.citations.values()])
    await addModels(tx, engine, [...tally.models.values()])
    await closeDays(tx, since, end)
    return await addCounted(tx, tally, newUsers)
  })
}

/** The figures of the next rows: all rows before `end`, and none after it. */
async function tallySome(
  ctx: RollUpContext,
  { since, until, limit = rowsPerUnit }: TimeWanted,
): Promise<{ readonly tally: Tally; readonly end: number }> {
  const { db } = ctx
  // A full page may hold only part of the rows of its last millisecond: the next page reads them.
  const endOf = (rows: readonly { readonly created_at: number }[], last: number) =>
    rows.length < limit ? last : (rows.at(-1)?.created_at ?? last)
  const messages = await readMessages(db.scan, db.engine, { since, until, limit })
  const calls = await readCalls(db.scan, { since, until: endOf(messages, until), limit })
  const before = endOf(calls, endOf(messages, until))
  const costs = await readCosts(db.scan, db.engine, { since, until: before, limit })
  const requests = await readRequests(db.scan, { since, until: endOf(costs, before), limit })
  const end = endOf(requests, endOf(costs, before))
  // One millisecond has more rows than a unit should take: they are counted together anyway.
  if (end === since)
    return await tallySome(ctx, { since, until: since + 1, limit: Number.MAX_SAFE_INTEGER })
  const isWithin = ({ created_at: at }: { readonly created_at: number }) => at < end
  const tally = new Tally(spans)
  for (const row of messages.filter(isWithin)) tally.countMessage(row)
  for (const row of calls.filter(isWithin)) tally.countCall(row)
  for (const row of costs.filter(isWithin)) tally.countCost(row)
  for (const row of requests.filter(isWithin)) tally.countRequest(row)
  return { tally, end }
}

async function closeDays(tx: Tx, since: number, until: number): Promise<void> {
  for (let day = startOfSpan(since, daySpan); day + dayMs <= until; day += dayMs)
    await keepTopQuestions(tx, day)
}
