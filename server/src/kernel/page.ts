import { z } from 'zod'
import { commonFaults, Fault } from './fault.ts'

/** The input of every list. */
export interface PageRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** One page of a list that is read by key, not by offset, so that no row is skipped or repeated. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/**
 * The key of the previous page's last item; undefined on the first page.
 *
 * @throws Fault invalid_input when the cursor is not one that a list of this kind gave
 */
export function readCursor<Key>(cursor: string | undefined, key: z.ZodType<Key>): Key | undefined {
  if (cursor === undefined) return undefined
  const parsed = key.safeParse(decode(cursor))
  if (parsed.success) return parsed.data
  throw badCursor()
}

/** Builds a page from rows. The caller reads one row more than the limit from its store. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  shape: { readonly key: (row: Row) => unknown; readonly item: (row: Row) => Item },
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    items: shown.map(shape.item),
    nextCursor:
      last === undefined
        ? null
        : Buffer.from(JSON.stringify(shape.key(last))).toString('base64url'),
  }
}

/** Where a page of rows in the order of their ids begins: stores read `before` or `after`. */
export interface IdWindow {
  readonly limit: number
  readonly before: string | undefined
  readonly after: string | undefined
}

/** One page of a list in the order of its ids. */
export async function pageById<Row extends { readonly id: string }, Item>(
  { limit, cursor }: PageRequest,
  read: (window: IdWindow) => Promise<readonly Row[]>,
  item: (row: Row) => Item,
): Promise<Page<Item>> {
  const id = readCursor(cursor, z.guid())
  const rows = await read({ limit: limit + 1, before: id, after: id })
  return pageOf(rows, limit, { key: (row) => row.id, item })
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch (cause) {
    throw badCursor(cause)
  }
}

function badCursor(cause?: unknown): Fault {
  const facts = { issues: ['cursor: not a next_cursor of this list; leave it out to start over'] }
  return new Fault(commonFaults.invalid_input, facts, { cause })
}
