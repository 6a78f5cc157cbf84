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
  /** The number of the message that the page before ended with. */
  readonly after?: number
}

export function listItemRows(reader: Reader, range: ItemRange, page: ItemPage) {
  let query = itemRows(reader, range)
  if (page.after !== undefined)
    query = query.where('seq', page.order === 'asc' ? '>' : '<', page.after)
  return query.orderBy('seq', page.order).limit(page.limit).execute()
}

export function findItemRow(reader: Reader, range: ItemRange, id: string) {
  return itemRows(reader, range).where('id', '=', id).executeTakeFirst()
}

function itemRows(reader: Reader, { sessionId, first, end }: ItemRange) {
  const query = reader
    .selectFrom('chat_messages')
    .select(['id', 'seq', 'role', 'content', 'parts_json', 'finish_reason', 'error_code'])
    .select('citations_json')
    .where('session_id', '=', sessionId)
    .where('seq', '>=', first)
  return end === undefined ? query : query.where('seq', '<', end)
}

export type ItemRow = Awaited<ReturnType<typeof listItemRows>>[number]
