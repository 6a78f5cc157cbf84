import type { ContentPart } from '#platform/models/model.ts'
import type { Citation, MessageRole } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { responseFaults } from './response-faults.ts'
import { findItemRow, listItemRows, type ItemRange, type ItemRow } from './item-store.ts'

/** A stored message as the items of a response or a conversation show it. */
export interface StoredItem {
  readonly id: string
  readonly seq: number
  readonly role: MessageRole
  readonly text: string
  /** Present when it holds more than text. */
  readonly parts: readonly ContentPart[] | null
  readonly citations: readonly Citation[]
  readonly isComplete: boolean
}

export interface ItemsRequest {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** The id of the item that the page before ended with. */
  readonly after: string | null
}

/** @throws Fault item_unknown: `after` is none of these items */
export async function listItems(
  { db }: Pick<Context, 'db'>,
  range: ItemRange,
  { limit, order, after }: ItemsRequest,
): Promise<{ readonly items: readonly StoredItem[]; readonly hasMore: boolean }> {
  const last = after === null ? undefined : await findItemRow(db.read, range, after)
  if (after !== null && last === undefined) throw new Fault(responseFaults.item_unknown)
  const page = { limit: limit + 1, order, ...(last === undefined ? {} : { after: last.seq }) }
  const rows = await listItemRows(db.read, range, page)
  return { items: rows.slice(0, limit).map(itemOf), hasMore: rows.length > limit }
}

export function itemOf(row: ItemRow): StoredItem {
  return {
    id: row.id,
    seq: row.seq,
    // Only turns write these columns, from values of these types.
    role: row.role as MessageRole,
    text: row.content,
    parts: row.parts_json === null ? null : (JSON.parse(row.parts_json) as ContentPart[]),
    citations: row.citations_json === null ? [] : (JSON.parse(row.citations_json) as Citation[]),
    isComplete: row.error_code === null,
  }
}
