import { z } from 'zod'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { isAnchorOwn, withAnchor } from './anchor.ts'
import {
  deleteSealed,
  findHead,
  listChains,
  listSealed,
  lockHead,
  updateHead,
} from './chain-store.ts'
import { instanceChain, type ChainRow } from './event-macs.ts'
import { areLinked, isKept, type SealedRow } from './old-events.ts'
import { dropExpired } from './drop-expired.ts'
import { recordSystemEvent } from './record-event.ts'

type ExpireContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault' | 'log'>

const eventsPerUnit = 200
const chainsAtOnce = 500

/**
 * Deletes audit events that are older than `AUDIT_RETENTION_DAYS`, of the instance and of every
 * workspace. Each unit first moves the chain's signed anchor to the newest event that it deletes, so
 * `verifyChains` still notices if anyone else deletes one. Where the log has partitions, those that are
 * wholly old are dropped; other events are deleted.
 */
export const expireAuditEvents = defineJob({
  kind: 'audit.expire_events',
  input: z.object({}),
  everyMs: dayMs,
  maxAtOnce: 1,
  run: (ctx: ExpireContext, _input, { signal }) => expireEvents(ctx, signal),
})

export async function expireEvents(ctx: ExpireContext, signal?: AbortSignal): Promise<void> {
  const { auditRetentionDays: days } = ctx.config
  if (days === null) return
  const before = ctx.clock.now() - days * dayMs
  await dropOld(ctx, { before, days }, signal)
  for (let after = ''; ;) {
    const chains = await listChains(ctx.db.scan, after, chainsAtOnce)
    for (const chain of chains) {
      const deleted = await expireChain(ctx, chain, before, signal)
      if (signal?.aborted === true) return
      if (deleted > 0) await recordExpiry(ctx, chain, { entries: deleted, days })
    }
    const last = chains.at(-1)
    if (last === undefined || chains.length < chainsAtOnce) return
    after = last
  }
}

/** Events of a partition that cannot be dropped are deleted like others. */
async function dropOld(
  ctx: ExpireContext,
  { before, days }: { readonly before: number; readonly days: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for await (const { chain, entries } of dropExpired(ctx, before, signal))
      await recordExpiry(ctx, chain, { entries, days })
  } catch (error) {
    ctx.log.error({ err: error }, 'old partitions of the audit log could not be dropped')
  }
}

async function recordExpiry(
  { db, clock }: ExpireContext,
  chain: string,
  detail: { readonly entries: number; readonly days: number },
): Promise<void> {
  const workspaceId = chain === instanceChain ? null : chain
  const event = { workspaceId, action: expireAuditEvents.kind, target: null, detail }
  await db.write(async (tx) => {
    // The purge of its workspace may have ended the chain meanwhile.
    if ((await findHead(tx, chain)) !== undefined) await recordSystemEvent(tx, clock.now(), event)
  })
}

/** @returns how many events were deleted */
async function expireChain(
  ctx: ExpireContext,
  chain: string,
  before: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0
  for (;;) {
    if (signal?.aborted === true) return total
    const head = await findHead(ctx.db.read, chain)
    if (head === undefined) return total
    const rows = await listSealed(ctx.db.read, chain, head.anchor_seq, eventsPerUnit)
    const young = rows.findIndex(({ created_at: at }) => at >= before)
    const old = young === -1 ? rows : rows.slice(0, young)
    if (old.length === 0) return total
    if (!isAnchorOwn(ctx.vault, head) || !areLinked(ctx, head, old)) {
      ctx.log.error({ chain }, 'old audit events are not deleted: run parley audit verify')
      return total
    }
    total += await deleteOld(ctx, head, old)
    if (young !== -1 || rows.length < eventsPerUnit) return total
  }
}

/** @returns how many events were deleted; 0 if another process was first */
async function deleteOld(
  { db, vault }: ExpireContext,
  { chain, anchor_seq: from }: ChainRow,
  rows: readonly SealedRow[],
): Promise<number> {
  const last = rows.at(-1)
  const { seq, link } = last ?? { seq: null, link: null }
  if (seq === null || link === null) return 0
  const kept = rows.filter(isKept)
  return await db.write(async (tx) => {
    const head = await lockHead(tx, db.engine, chain)
    if (head?.anchor_seq !== from) return 0
    const anchor_kept = head.anchor_kept + kept.length
    const anchor = { anchor_seq: seq, anchor_link: link, anchor_kept }
    await updateHead(tx, withAnchor(vault, { ...head, ...anchor }))
    const keptIds = kept.map(({ id }) => id)
    return await deleteSealed(tx, chain, { after: from, until: seq }, keptIds)
  })
}
