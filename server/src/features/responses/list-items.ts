import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { responseFaults } from './response-faults.ts'
import { findItemRow, listItemRows, type ItemRange } from './item-store.ts'
import { isNamed, itemsOf, type ItemName, type StoredItem } from './stored-item.ts'

export interface ItemsRequest {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** The last item of the previous page. */
  readonly after: ItemName | null
}

/**
 * A page of items: at most `limit`, and fewer if their messages are larger than `MAX_ITEMS_PAGE_BYTES`
 * in total.
 *
 * @throws Fault item_unknown: `after` is none of these items
 */
export async function listItems(
  { db, config }: Pick<Context, 'db' | 'config'>,
  range: ItemRange,
  { limit, order, after }: ItemsRequest,
): Promise<{ readonly items: readonly StoredItem[]; readonly hasMore: boolean }> {
  const last = after === null ? undefined : await findItemRow(db.read, range, after.messageId)
  if (after !== null && last === undefined) throw new Fault(responseFaults.item_unknown)
  const { rows, isCut } = await listItemRows(db.read, range, {
    // The message of `after` can have further items, and one more shows whether there are more.
    limit: limit + 2,
    order,
    // A page has at least one message besides that of `after`.
    atLeast: last === undefined ? 1 : 2,
    maxBytes: config.maxItemsPageBytes + (last === undefined ? 0 : sizeOf(last)),
    ...(last === undefined ? {} : { from: last.seq }),
  })
  const listed = rows.flatMap((row) => (order === 'asc' ? itemsOf(row) : itemsOf(row).toReversed()))
  const at = after === null ? -1 : listed.findIndex((item) => isNamed(item, after))
  if (after !== null && at === -1) throw new Fault(responseFaults.item_unknown)
  const items = listed.slice(at + 1, at + 1 + limit)
  return { items, hasMore: isCut || listed.length > at + 1 + limit }
}

/** The message of `after` is read again, so it does not count. */
function sizeOf(row: NonNullable<Awaited<ReturnType<typeof findItemRow>>>): number {
  return [row.content, row.parts_json, row.calls_json, row.citations_json].reduce(
    (sum, text) => sum + Buffer.byteLength(text ?? ''),
    0,
  )
}
