import type { Context } from '#platform/context.ts'
import type { listSealed } from './chain-store.ts'
import { eventMac, linkMac, type ChainRow } from './event-macs.ts'
import { keptActions } from './purge-events.ts'

export type SealedRow = Awaited<ReturnType<typeof listSealed>>[number]

/** Where a chain begins: the place and the link before the events that are read. */
export type Anchor = Pick<ChainRow, 'anchor_seq' | 'anchor_link'>

/** Whether these events follow the anchor without a gap. A chain that was changed is evidence: nothing of it is deleted. */
export function areLinked(
  { vault }: Pick<Context, 'vault'>,
  { anchor_seq, anchor_link }: Anchor,
  rows: readonly SealedRow[],
): boolean {
  let [seq, link] = [anchor_seq, anchor_link]
  for (const row of rows) {
    seq += 1
    if (row.seq !== seq || row.link !== linkMac(vault, link, seq, row)) return false
    if (row.mac !== null && row.mac !== eventMac(vault, row)) return false
    link = row.link
  }
  return true
}

/** Whether an event is kept whatever its age. */
export function isKept({ action, mac }: SealedRow): boolean {
  return mac !== null && keptActions.includes(action)
}
