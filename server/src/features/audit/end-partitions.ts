import { z } from 'zod'
import { dayMs, hourMs } from '#kernel/durations.ts'
import { commonFaults, isFault } from '#kernel/fault.ts'
import { isUuid, timeOf } from '#kernel/ids.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { beginningOf, monthAt } from './partition-months.ts'
import {
  beginEnd,
  cancelEnd,
  endPartition,
  listPartitions,
  newestId,
  partitionedForMs,
  proveEnd,
  type Partition,
} from './partition-store.ts'

type EndContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

/** How long processes of the version before may write beside this one: they expect a single partition. */
const rollingUpgradeMs = dayMs
/**
 * How far ahead a partition ends. Until its end is proven, a process that dies leaves it closed for ids from
 * that time on, and every event would be refused if no process continued until then.
 */
const leastAheadMs = 15 * dayMs
/** An end that is not complete this long before it comes is cancelled. */
const leastLeftMs = 5 * dayMs

/** Each partition makes reading slower, so one has more than a month where events are kept for many years. */
const mostPartitions = 24
const daysOfMonth = 30

/** check_violation (https://www.postgresql.org/docs/current/errcodes-appendix.html) */
const checkViolation = '23514'

/**
 * Ends a partition of the audit log with each month, on PostgreSQL. SQLite has none. Where events are kept for
 * ever, no partition would be dropped, so the single partition stays open.
 */
export const partitionAuditLog = defineJob({
  kind: 'audit.partition',
  input: z.object({}),
  everyMs: hourMs,
  maxAtOnce: 1,
  run: endSoon,
})

/** While somebody holds the log for long, each try lets every change wait, so the next one is an hour later. */
async function endSoon(ctx: EndContext): Promise<void> {
  try {
    await endOpenPartition(ctx)
  } catch (error) {
    if (!isFault(error, commonFaults.database_unavailable)) throw error
    ctx.log.warn({ err: error }, 'the audit log gets its next partition later')
  }
}

/**
 * Ends the open partition at the beginning of a later month, once the time of its own has come. Each step is
 * complete or has not happened, and the next run continues after the last one. An end that comes too near
 * before it is complete is cancelled: the open partition would refuse every new event.
 */
export async function endOpenPartition(ctx: EndContext): Promise<void> {
  const { db, log } = ctx
  if (db.engine !== 'postgres') return
  const open = (await listPartitions(db.scan)).at(-1)
  if (open === undefined || open.until !== null) return
  if (open.endingAt !== null && beginningOf(open.endingAt) - ctx.clock.now() < leastLeftMs) {
    await cancelLate(ctx, open, open.endingAt)
    return
  }
  const month = open.endingAt ?? (await chooseMonth(ctx, open))
  if (month === null) return
  if (open.endingAt === null) await db.write((tx) => beginEnd(tx, open, month))
  try {
    await proveEnd(db.maintain, open, month)
  } catch (error) {
    // A clock may have run ahead meanwhile.
    if (isViolation(error)) await cancelViolated(ctx, open, month)
    throw error
  }
  await db.write((tx) => endPartition(tx, open, month))
  log.info({ until: month }, 'the audit log has a new partition')
}

/** The next run begins an end at a later month. */
async function cancelLate({ db, log }: EndContext, open: Partition, month: string): Promise<void> {
  log.error(
    { until: month },
    'a partition of the audit log could not end for days: does a transaction hold the log?',
  )
  await db.write((tx) => cancelEnd(tx, open, month))
}

/** The caller throws the violation, so an error of the cancellation is only logged. The next run tries again. */
async function cancelViolated(
  { db, log }: EndContext,
  open: Partition,
  month: string,
): Promise<void> {
  try {
    await db.write((tx) => cancelEnd(tx, open, month))
  } catch (error) {
    log.error({ err: error, until: month }, 'an end of the audit log was not cancelled')
  }
}

function isViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === checkViolation
}

/** @returns null if the open partition is not used yet, or must stay open */
async function chooseMonth(
  { db, clock, config, log }: EndContext,
  open: Partition,
): Promise<string | null> {
  const now = clock.now()
  const { auditRetentionDays: days } = config
  if (days === null) return null
  if (open.from !== null && timeOf(open.from) > now) return null
  if ((await partitionedForMs(db.scan)) < rollingUpgradeMs) return null
  const newest = await newestId(db.scan, open)
  if (newest !== null && !isUuid(newest)) {
    log.warn({ id: newest }, 'the audit log gets no new partition: an event has an unknown id')
    return null
  }
  // A clock may have been ahead.
  const least = Math.max(now, newest === null ? 0 : timeOf(newest)) + leastAheadMs
  const date = new Date(least)
  const months = Math.max(1, Math.ceil(days / daysOfMonth / mostPartitions))
  return monthAt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months))
}
