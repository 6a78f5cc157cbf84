import type { Context } from '#platform/context.ts'
import { commonFaults, isFault } from '#kernel/fault.ts'
import { firstIdAt } from '#kernel/ids.ts'
import { isAnchorOwn, withAnchor } from './anchor.ts'
import { findHead, listSealed } from './chain-store.ts'
import { areLinked, isKept } from './old-events.ts'
import {
  chainsIn,
  isOfKept,
  listPartitions,
  dropPartition,
  type AnchorMove,
  type Partition,
} from './partition-store.ts'

type DropContext = Pick<Context, 'db' | 'log' | 'vault'>

const eventsAtOnce = 500

/** The anchor that follows a chain's events of a partition, and how many of these are not kept. */
interface Walked {
  readonly move: AnchorMove
  readonly entries: number
}

/**
 * Drops the partitions of the audit log whose events are all older than `before`, on PostgreSQL: one unit
 * for each moves the signed anchor of every chain and keeps the events about purges. A partition
 * with an event that may not be deleted stays; `expireEvents` deletes its other events.
 *
 * @param before epoch milliseconds
 * @yields how many events of a chain were deleted
 */
export async function* dropExpired(
  ctx: DropContext,
  before: number,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly chain: string; readonly entries: number }, void, undefined> {
  if (ctx.db.engine !== 'postgres') return
  for (;;) {
    if (signal?.aborted === true) return
    const [first, second] = await listPartitions(ctx.db.scan)
    const kept = first !== undefined && isOfKept(first) ? first : undefined
    const expired = kept === undefined ? first : second
    const until = expired?.until ?? null
    if (expired === undefined || until === null || until > firstIdAt(before)) return
    const dropped = await dropOne(ctx, { expired, kept, until, before })
    if (dropped === null) return
    for (const { move, entries } of dropped) if (entries > 0) yield { chain: move.chain, entries }
  }
}

interface Expired {
  readonly expired: Partition
  readonly kept: Partition | undefined
  readonly until: string
  readonly before: number
}

/** @returns null if it stays */
async function dropOne(
  ctx: DropContext,
  { expired, kept, ...bounds }: Expired,
): Promise<readonly Walked[] | null> {
  const { db, log } = ctx
  const walked: Walked[] = []
  for (const chain of await chainsIn(db.scan, expired)) {
    const one = await walk(ctx, chain, bounds)
    if (one === null) return null
    walked.push(one)
  }
  const moves = walked.map(({ move }) => move)
  try {
    const isDropped = await db.write((tx) => dropPartition(tx, { expired, kept, moves }))
    if (!isDropped) return null
    log.info({ partition: expired.name }, 'dropped a partition of the audit log')
    return walked
  } catch (error) {
    // Somebody reads or writes the log for long, for example a backup, or the partition is too large for the
    // unit's check within `DATABASE_STATEMENT_TIMEOUT_MS`. Its events are then deleted by row.
    if (!isFault(error, commonFaults.database_unavailable)) throw error
    log.warn({ err: error, partition: expired.name }, 'a partition of the audit log stays for now')
    return null
  }
}

/** @returns null if events of the chain must not be deleted */
async function walk(
  ctx: DropContext,
  chain: string,
  { until, before }: Pick<Expired, 'until' | 'before'>,
): Promise<Walked | null> {
  const head = await findHead(ctx.db.read, chain)
  if (head === undefined || !isAnchorOwn(ctx.vault, head)) return null
  let anchor = head
  let entries = 0
  for (;;) {
    const rows = await listSealed(ctx.db.read, chain, anchor.anchor_seq, eventsAtOnce)
    const end = rows.findIndex(({ id, created_at: at }) => id >= until || at >= before)
    const old = end === -1 ? rows : rows.slice(0, end)
    const { seq, link } = old.at(-1) ?? { seq: null, link: null }
    if (seq !== null && link !== null) {
      if (!areLinked(ctx, anchor, old)) return null
      const kept = old.filter(isKept).length
      entries += old.length - kept
      const anchor_kept = anchor.anchor_kept + kept
      anchor = { ...anchor, anchor_seq: seq, anchor_link: link, anchor_kept }
    }
    if (end !== -1 || rows.length < eventsAtOnce) break
  }
  const { anchor_seq: seq, anchor_link: link, anchor_kept: kept, anchor_mac } = anchor
  const mac = seq === head.anchor_seq ? anchor_mac : withAnchor(ctx.vault, anchor).anchor_mac
  return { move: { chain, from: head.anchor_seq, seq, link, kept, mac }, entries }
}
