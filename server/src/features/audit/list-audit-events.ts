import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { eventFromRow, type LoggedEvent } from './logged-event.ts'
import { listEventRows, type EventFilter } from './store.ts'

/** What was done, and refused, in a workspace; newest first. */
export function listAuditEvents(
  ctx: Pick<Context, 'db'>,
  filter: EventFilter,
  page: PageRequest,
): Promise<Page<LoggedEvent>> {
  return pageById(page, (window) => listEventRows(ctx.db.scan, filter, window), eventFromRow)
}
