import { z } from 'zod'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { crawlOf } from './source.ts'
import type { SourceRow } from './store.ts'

const input = z.object({ sourceId: z.string() })

/**
 * Enqueues the job that reads a text, a file or a single page, without importing it. Its key is the
 * source: one job at a time reads it.
 */
export const ingestTicket = { kind: 'knowledge.ingest', input }

/** The same for a site, which may take hours: other sources must not wait for it. */
export const crawlTicket = { kind: 'knowledge.crawl', input }

/** Whether reading a source is reading a site. */
export function isCrawl(source: Pick<SourceRow, 'kind' | 'crawl_json'>): boolean {
  return source.kind === 'sitemap' || (crawlOf(source)?.depth ?? 0) > 0
}

type ToIngest = Pick<SourceRow, 'id' | 'workspace_id' | 'kind' | 'crawl_json'>

/** A step: enqueues reading a source, now or at a future time. */
export async function enqueueIngestion(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Tx,
  source: ToIngest,
  runAt?: number,
): Promise<void> {
  const { id, workspace_id: workspaceId } = source
  const options = { key: id, workspaceId, ...(runAt === undefined ? {} : { runAt }) }
  const ticket = isCrawl(source) ? crawlTicket : ingestTicket
  await jobs.enqueue(tx, ticket, { sourceId: id }, options)
}

/** A step: withdraws a reading that has not begun. */
export async function withdrawIngestion(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Tx,
  sourceId: string,
): Promise<void> {
  for (const ticket of [ingestTicket, crawlTicket]) await jobs.withdraw(tx, ticket, sourceId)
}
