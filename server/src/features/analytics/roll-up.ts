import { z } from 'zod'
import {
  moveWatermark,
  readWatermark,
  settlingMs,
  type Watermark,
} from '#features/conversations/index.ts'
import { defineJob, type JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { findOldestMoment, readCalls, readCosts, readMessages } from './counted-rows-store.ts'
import { addCitations, addQuestions, addToRollups, keepTopQuestions } from './rollup-store.ts'
import { daySpan, spans, startOfSpan } from './spans.ts'
import { Tally } from './tally.ts'

/** Messages, calls and entries that one unit counts at most. */
const rowsPerUnit = 500

const dayMs = daySpan * 60_000

type RollUpContext = Pick<Context, 'db' | 'clock' | 'log'>

/**
 * Counts what was said, done and used since the last run: a unit adds the figures of some rows to
 * those of their spans and moves the watermark past them, so that each row is counted once, whatever
 * ends the process. The first run after an upgrade counts everything that is there.
 */
export const rollUpAnalytics = defineJob({
  kind: 'analytics.roll_up',
  input: z.object({}),
  everyMs: 60_000,
  maxAtOnce: 1,
  async run(ctx: RollUpContext, _input: unknown, { signal }: Pick<JobRun, 'signal'>) {
    await rollUp(ctx, signal)
  },
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
    else await countSome(ctx, from, until)
    from = await readWatermark(ctx.db.read, 'analytics')
    if (ctx.clock.now() - reportedAt < progressEveryMs) continue
    reportedAt = ctx.clock.now()
    ctx.log.info(progressOf(from, until), 'counting conversations for analytics')
  }
}

/** The first run begins with the oldest row. */
async function begin({ db }: RollUpContext, from: Watermark, until: number): Promise<void> {
  const oldest = Math.min((await findOldestMoment(db.scan)) ?? until, until)
  await db.write((tx) => moveWatermark(tx, from, { reachedAt: oldest, beganAt: oldest }))
}

const progressEveryMs = 5_000

/** A short look, so that a service at rest starts no thread for long reads every minute. */
async function isNothingNew({ db }: RollUpContext, since: number, until: number): Promise<boolean> {
  const wanted = { since, until, limit: 1 }
  if ((await readMessages(db.read, db.engine, wanted)).length > 0) return false
  if ((await readCalls(db.read, wanted)).length > 0) return false
  return (await readCosts(db.read, wanted)).length === 0
}

function progressOf({ began_at: beganAt, reached_at: reached }: Watermark, until: number) {
  const whole = until - (beganAt ?? reached)
  const done = whole <= 0 ? 1 : (reached - (beganAt ?? reached)) / whole
  return { percent: Math.floor(done * 100), until: new Date(reached).toISOString() }
}

/** One unit of work; it changes nothing if another process moved the watermark meanwhile. */
async function countSome(ctx: RollUpContext, from: Watermark, until: number): Promise<void> {
  const since = from.reached_at
  const { tally, end } = await tallySome(ctx, since, Math.min(until, since + dayMs))
  await ctx.db.write(async (tx) => {
    const beganAt = from.began_at ?? since
    if (!(await moveWatermark(tx, from, { reachedAt: end, beganAt }))) return
    const { engine } = ctx.db
    const asked = [...tally.questions.values()].filter(({ count }) => count > 0)
    await addToRollups(tx, engine, [...tally.places.values()])
    await addQuestions(tx, engine, asked)
    await addCitations(tx, engine, [...tally.citations.values()])
    await closeDays(tx, since, end)
  })
}

/** The figures of the next rows, up to a moment before which all rows are among them. */
async function tallySome({ db }: RollUpContext, since: number, until: number) {
  const limit = rowsPerUnit
  const messages = await readMessages(db.scan, db.engine, { since, until, limit })
  const calls = await readCalls(db.scan, { since, until: endOf(messages, until), limit })
  const before = endOf(calls, endOf(messages, until))
  const costs = await readCosts(db.scan, { since, until: before, limit })
  const end = endOf(costs, before)
  // One moment has more rows than a unit takes: they are counted together all the same.
  if (end === since) return await tallyMoment(db, since)
  const isWithin = ({ created_at: at }: { readonly created_at: number }) => at < end
  const tally = new Tally(spans)
  for (const row of messages.filter(isWithin)) tally.countMessage(row)
  for (const row of calls.filter(isWithin)) tally.countCall(row)
  for (const row of costs.filter(isWithin)) tally.countCost(row)
  return { tally, end }
}

async function tallyMoment(db: Context['db'], since: number) {
  const tally = new Tally(spans)
  const wanted = { since, until: since + 1 }
  for (const row of await readMessages(db.scan, db.engine, wanted)) tally.countMessage(row)
  for (const row of await readCalls(db.scan, wanted)) tally.countCall(row)
  for (const row of await readCosts(db.scan, wanted)) tally.countCost(row)
  return { tally, end: since + 1 }
}

/** A full page may hold only some of the rows of its last moment: these are left to the next. */
function endOf(rows: readonly { readonly created_at: number }[], until: number): number {
  return rows.length < rowsPerUnit ? until : (rows.at(-1)?.created_at ?? until)
}

async function closeDays(tx: Tx, since: number, until: number): Promise<void> {
  for (let day = startOfSpan(since, daySpan); day + dayMs <= until; day += dayMs)
    await keepTopQuestions(tx, day)
}
