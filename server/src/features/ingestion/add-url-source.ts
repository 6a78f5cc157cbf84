import { requireAgent } from '#features/agents/index.ts'
import {
  enqueueIngestion,
  sourceFromRow,
  countSources,
  insertSource,
  type Crawl,
  type RefreshInterval,
  type Source,
} from '#features/knowledge/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { newSourceRow } from './new-rows.ts'

export interface NewUrlSource {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** `sitemap`: the address lists the pages. */
  readonly kind: 'url' | 'sitemap'
  readonly url: string
  readonly crawl: Crawl
  readonly refreshEvery: RefreshInterval | null
}

/**
 * Has a job read a page, or the pages it leads to; searches find each as soon as it has been read.
 *
 * @throws Fault source_address_invalid, plan_limit_reached, record_not_found
 */
export async function addUrlSource(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  workspaceId: string,
  { appId, kind, url, crawl, refreshEvery }: NewUrlSource,
): Promise<Source> {
  const address = webAddress(url)
  const source = await ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    await requireRoom(tx, workspaceId, 'sourcesPerAgent', () => countSources(tx, agent.id))
    const row = newSourceRow(ctx.clock.now(), {
      workspace_id: workspaceId,
      agent_id: agent.id,
      kind,
      title: crawl.title ?? address,
      url: address,
      status: 'queued',
      stage: null,
      crawl_json: JSON.stringify(crawl),
      refresh_every: refreshEvery,
    })
    await insertSource(tx, row)
    await enqueueIngestion(ctx, tx, row)
    return row
  })
  return sourceFromRow(source)
}

/** What it resolves to is checked when it is dialled. @throws Fault source_address_invalid */
export function webAddress(text: string): string {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isWeb || url.username !== '' || url.password !== '')
    throw new Fault(ingestionFaults.source_address_invalid)
  url.hash = ''
  return url.href
}
