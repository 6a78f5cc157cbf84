import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { eventFromRow, type LoggedEvent } from './logged-event.ts'
import { listEventRows, type EventFilter } from './store.ts'

/** What was done, and refused, in a workspace; newest first. */
export async function listAuditEvents(
  ctx: Pick<Context, 'db'>,
  filter: EventFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<LoggedEvent>> {
  const before = readCursor(cursor, z.string())
  const rows = await listEventRows(ctx.db.scan, filter, { limit: limit + 1, before })
  return pageOf(rows, limit, { key: (row) => row.id, item: eventFromRow })
}
