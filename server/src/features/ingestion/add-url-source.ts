import {
  enqueueIngestion,
  sourceFromRow,
  type Crawl,
  type RefreshInterval,
  type Source,
} from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { insertNewSource } from './new-rows.ts'

export interface NewUrlSource {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** `sitemap`: the address is a list of pages. */
  readonly kind: 'url' | 'sitemap'
  readonly url: string
  readonly crawl: Crawl
  readonly refreshEvery: RefreshInterval | null
}

/**
 * Adds a page, or the pages it links to, and enqueues the job that reads them. Searches find each page
 * as soon as it has been read.
 *
 * @throws Fault source_address_invalid, plan_limit_reached, limit_reached, record_not_found
 */
export async function addUrlSource(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'jobs'>,
  workspaceId: string,
  { appId, kind, url, crawl, refreshEvery }: NewUrlSource,
): Promise<Source> {
  const columns = columnsOfPages({ kind, url, crawl, refreshEvery })
  const source = await ctx.db.write(async (tx) => {
    const row = await insertNewSource(tx, ctx, { workspaceId, appId }, columns)
    await requireRecordRoom(tx, ctx, 'queued_sources_per_workspace', workspaceId, 0)
    await enqueueIngestion(ctx, tx, row)
    return row
  })
  return sourceFromRow(source)
}

/** @throws Fault source_address_invalid */
export function columnsOfPages(given: Omit<NewUrlSource, 'appId'>) {
  const url = webAddress(given.url)
  return {
    kind: given.kind,
    title: given.crawl.title ?? url,
    url,
    status: 'queued',
    stage: null,
    crawl_json: JSON.stringify(given.crawl),
    refresh_every: given.refreshEvery,
  }
}

/** The addresses of its host are checked when it is dialled. @throws Fault source_address_invalid */
export function webAddress(text: string): string {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isWeb || url.username !== '' || url.password !== '')
    throw new Fault(ingestionFaults.source_address_invalid)
  url.hash = ''
  return url.href
}
