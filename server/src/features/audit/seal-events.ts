import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { beginLog } from './begin-log.ts'
import {
  deleteHead,
  findHead,
  hasSealed,
  insertHead,
  listUnsealed,
  lockHead,
  placeEvents,
  updateHead,
  type Place,
  type SealableRow,
} from './chain-store.ts'
import {
  chainOf,
  eventMac,
  headMac,
  instanceChain,
  linkMac,
  newHead,
  withMac,
  type ChainRow,
} from './event-macs.ts'

export type SealContext = Pick<Context, 'db' | 'clock' | 'vault' | 'log'>

/** Few, so that one unit delays other writers by a few milliseconds only. */
const eventsPerUnit = 200
/** Between units, when many events of an older version are sealed. */
const pauseMs = 20

/**
 * Seals new events: each gets its place in its chain. Several processes may do this at once.
 *
 * Events without a MAC are from versions before the chain, and are sealed only until a day after the
 * first start of this version. An event with a wrong MAC is never sealed.
 */
export async function sealEvents(ctx: SealContext, signal?: AbortSignal): Promise<void> {
  for (let after = ''; ;) {
    if (signal?.aborted === true) return
    const rows = await listUnsealed(ctx.db.read, { after, limit: eventsPerUnit })
    const last = rows.at(-1)
    if (last === undefined) return
    const begun = (await findHead(ctx.db.read, instanceChain)) ?? (await beginLog(ctx))
    if (begun === null) {
      reportBroken(ctx, instanceChain)
      return
    }
    const mayBeUnsigned = ctx.clock.now() <= begun.unsigned_until
    const sealable = rows.filter((row) =>
      row.mac === null ? mayBeUnsigned : row.mac === eventMac(ctx.vault, row),
    )
    for (const [chain, ids] of Map.groupBy(sealable, chainOf)) await sealSome(ctx, chain, ids)
    if (rows.length < eventsPerUnit) return
    after = last.id
    await delay(pauseMs)
  }
}

async function sealSome(
  ctx: SealContext,
  chain: string,
  rows: readonly SealableRow[],
): Promise<void> {
  const { db, vault } = ctx
  const ids = new Set(rows.map(({ id }) => id))
  // The flush can wait: a lost seal is made again.
  const isExtended = await db.write(
    async (tx) => {
      const head = await lockHead(tx, db.engine, chain)
      // Read again: another process may have sealed some, or purged their workspace.
      const after = before(rows[0]?.id ?? '')
      const unsealed = await listUnsealed(tx, { after, limit: eventsPerUnit, chain })
      const left = unsealed.filter(({ id }) => ids.has(id))
      if (left.length === 0) return true
      const from = head ?? (await beginChain(ctx, tx, chain))
      if (from === null || from.mac !== headMac(vault, from)) return false
      await extend(ctx, tx, from, left)
      return true
    },
    { flush: 'later' },
  )
  if (!isExtended) reportBroken(ctx, chain)
}

function reportBroken({ log }: SealContext, chain: string): void {
  log.error({ chain }, 'the audit log cannot be extended: run parley audit verify')
}

/** The greatest text before an id: ids are compared as text. */
function before(id: string): string {
  return id.slice(0, -1)
}

async function extend(
  { clock, vault }: SealContext,
  tx: Tx,
  head: ChainRow,
  rows: readonly SealableRow[],
): Promise<void> {
  const places: Place[] = []
  let { seq, link } = head
  for (const row of rows) {
    seq += 1
    link = linkMac(vault, link, seq, row)
    places.push({ id: row.id, seq, link })
  }
  if (places.length === 0) return
  await placeEvents(tx, places)
  await updateHead(tx, withMac(vault, { ...head, seq, link, updated_at: clock.now() }))
}

/** @returns null if the chain has lost its head, or another process began it at the same time */
async function beginChain(ctx: SealContext, tx: Tx, chain: string): Promise<ChainRow | null> {
  if (chain === instanceChain || (await hasSealed(tx, chain))) return null
  const head = newHead(ctx.vault, chain, ctx.clock.now())
  if (!(await insertHead(tx, head))) return null
  return (await countChain(ctx, tx, 1)) ? head : null
}

/** The number of chains is part of the instance's head, so that a whole chain cannot disappear. */
async function countChain({ db, vault }: SealContext, tx: Tx, change: 1 | -1): Promise<boolean> {
  const instance = await lockHead(tx, db.engine, instanceChain)
  if (instance === undefined || instance.mac !== headMac(vault, instance)) return false
  const workspace_chains = instance.workspace_chains + change
  await updateHead(tx, withMac(vault, { ...instance, workspace_chains }))
  return true
}

/**
 * A step: ends the chain of a workspace whose events are deleted with it.
 *
 * @returns where the chain ended, for the event that records the deletion
 */
export async function endChain(
  ctx: SealContext,
  tx: Tx,
  workspaceId: string,
): Promise<Readonly<Record<string, unknown>>> {
  const head = await lockHead(tx, ctx.db.engine, workspaceId)
  if (head === undefined) return {}
  await deleteHead(tx, workspaceId)
  await countChain(ctx, tx, -1)
  return { audit_chain: { seq: head.seq, link: head.link } }
}

/** Seals what a stopped process left, and the events of versions before the chain. */
export const sealAuditLog = defineJob({
  kind: 'audit.seal',
  input: z.object({}),
  everyMs: 60_000,
  maxAtOnce: 1,
  run: (ctx: SealContext, _input, { signal }) => sealEvents(ctx, signal),
})
