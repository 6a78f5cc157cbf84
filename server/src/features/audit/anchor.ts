import type { ChainRow, Mac } from './event-macs.ts'

/** Signs where the events of a chain begin, after older ones were deleted because of their age. */
export function withAnchor(vault: Mac, head: ChainRow): ChainRow {
  return { ...head, anchor_mac: anchorMac(vault, head) }
}

/** Whether Parley itself wrote the anchor, or the chain has none. */
export function isAnchorOwn(vault: Mac, head: ChainRow): boolean {
  const { anchor_seq, anchor_link, anchor_kept, anchor_mac } = head
  if (anchor_mac === null) return anchor_seq === 0 && anchor_link === '' && anchor_kept === 0
  return anchor_mac === anchorMac(vault, head)
}

function anchorMac(vault: Mac, { chain, anchor_seq, anchor_link, anchor_kept }: ChainRow): string {
  return vault.mac('audit anchor', JSON.stringify([chain, anchor_seq, anchor_link, anchor_kept]))
}
