import { sql } from 'kysely'
import { deletedMessage } from '#features/turns/index.ts'
import type { Reader } from '#platform/db/database.ts'

/** A part of a session: messages from `first` to before `end`. */
export interface ItemRange {
  readonly sessionId: string
  readonly first: number
  /** Excluded; undefined for no end. */
  readonly end?: number
}

export interface ItemPage {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** The number of the message that the page begins with. */
  readonly from?: number
  readonly maxBytes: number
  /** How many messages are read even if they are larger. */
  readonly atLeast: number
}

/**
 * The messages of a page. Their sizes are read first, so that no page is larger than it may be.
 *
 * @returns isCut whether the page ends because of its size
 */
export async function listItemRows(reader: Reader, range: ItemRange, page: ItemPage) {
  const { limit, order, from, maxBytes, atLeast } = page
  let query = itemRows(reader, range)
  if (from !== undefined) query = query.where('seq', order === 'asc' ? '>=' : '<=', from)
  const ordered = query.orderBy('seq', order).limit(limit)
  const sizes = await ordered.select(['seq', sizeOf.as('size')]).execute()
  let bytes = 0
  const fitting = sizes.filter(({ size }, n) => (bytes += Number(size)) <= maxBytes || n < atLeast)
  const rows = await ordered.select(itemColumns).limit(fitting.length).execute()
  return { rows, isCut: fitting.length < sizes.length }
}

export function findItemRow(reader: Reader, range: ItemRange, id: string) {
  return itemRows(reader, range).select(itemColumns).where('id', '=', id).executeTakeFirst()
}

/** The sizes of those of these messages that are in the range. */
export function listItemSizes(reader: Reader, range: ItemRange, ids: readonly string[]) {
  return itemRows(reader, range)
    .select(['id', sizeOf.as('size')])
    .where('id', 'in', ids)
    .execute()
}

export function listItemsById(reader: Reader, range: ItemRange, ids: readonly string[]) {
  return itemRows(reader, range).select(itemColumns).where('id', 'in', ids).execute()
}

/** What a message shows of itself, in bytes. */
const sizeOf = sql<number>`octet_length(content) + coalesce(octet_length(parts_json), 0)
  + coalesce(octet_length(calls_json), 0) + coalesce(octet_length(citations_json), 0)`

const itemColumns = [
  'id',
  'seq',
  'role',
  'content',
  'parts_json',
  'calls_json',
  'finish_reason',
  'error_code',
  'citations_json',
] as const

/** Without answers that failed before their first text, and without deleted items. */
function itemRows(reader: Reader, { sessionId, first, end }: ItemRange) {
  const query = reader
    .selectFrom('chat_messages')
    .where('session_id', '=', sessionId)
    .where('seq', '>=', first)
    .where((row) => row.or([row('error_code', 'is', null), row('content', '<>', '')]))
    .where((row) =>
      row.or([row('finish_reason', 'is', null), row('finish_reason', '<>', deletedMessage)]),
    )
  return end === undefined ? query : query.where('seq', '<', end)
}

export type ItemRow = NonNullable<Awaited<ReturnType<typeof findItemRow>>>
