import { z } from 'zod'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { listPurgeEvents } from './chain-store.ts'
import { eventMac, type Mac } from './event-macs.ts'
import { recordSystemEvent } from './record-event.ts'

const began = 'begin_purge_workspace'
const purged = 'purge_workspace'
const rowsAtOnce = 500

/** Events that are kept whatever their age: without them, a purged chain would seem to be deleted. */
export const keptActions: readonly string[] = [began, purged]

/** A step: from here on `verifyChains` expects that the workspace's events disappear. */
export async function recordPurgeBegun(tx: Tx, now: number, workspaceId: string): Promise<void> {
  const event = { workspaceId: null, action: began, target: workspaceId, detail: {} }
  await recordSystemEvent(tx, now, event)
}

/**
 * A step: records that a workspace and its events were deleted permanently.
 *
 * @param detail where its chain ended, from `endChain`
 */
export async function recordPurged(
  tx: Tx,
  now: number,
  workspaceId: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  const event = { workspaceId: null, action: purged, target: workspaceId, detail }
  await recordSystemEvent(tx, now, event)
}

/** Whether Parley itself began to purge a workspace: the column `purge_began_at` is not signed. */
export async function hasPurgeBegun(
  { vault }: Pick<Context, 'vault'>,
  workspaceId: string,
  reader: Reader,
): Promise<boolean> {
  const events = signedEvents(reader, vault, began, workspaceId)
  return (await events.next()).done !== true
}

export interface PurgedChain {
  readonly chain: string
  /** Where it ended. Null if it had no head then. */
  readonly end: { readonly seq: number; readonly link: string } | null
}

const purgeDetail = z.object({
  audit_chain: z.object({ seq: z.number(), link: z.string() }).optional(),
})

/** The chains of all workspaces that were deleted permanently. */
export async function* purgedChains({
  db,
  vault,
}: Pick<Context, 'db' | 'vault'>): AsyncGenerator<PurgedChain> {
  for await (const { target, detail_json } of signedEvents(db.scan, vault, purged)) {
    const { audit_chain } = purgeDetail.parse(JSON.parse(detail_json ?? '{}'))
    if (target !== null) yield { chain: target, end: audit_chain ?? null }
  }
}

async function* signedEvents(reader: Reader, vault: Mac, action: string, target?: string) {
  for (let after = ''; ;) {
    const which = target === undefined ? { action } : { action, target }
    const rows = await listPurgeEvents(reader, { ...which, after, limit: rowsAtOnce })
    for (const row of rows) if (row.mac === eventMac(vault, row)) yield row
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return
    after = last.id
  }
}
