import { pageOfOwned, requireOwned } from '#features/agents/index.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { sourceFromRow, type Source } from './source.ts'

/** @throws Fault record_not_found */
export async function getSource(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  sourceId: string,
): Promise<Source> {
  return sourceFromRow(await requireOwned(db.read, 'knowledge_sources', workspaceId, sourceId))
}

/**
 * The sources of an agent, newest first.
 *
 * @param appId UUID or `app_name_id`
 * @throws Fault record_not_found for an agent that is not in the workspace
 */
export function listSources(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  page: PageRequest,
): Promise<Page<Source>> {
  return pageOfOwned(ctx, 'knowledge_sources', { workspaceId, appId }, page, sourceFromRow)
}
