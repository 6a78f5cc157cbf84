import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireAgent } from '#features/agents/index.ts'
import {
  countSources,
  insertSource,
  type DocumentRow,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { analysisVersion } from '#features/text-analysis/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'

type GivenOfSource = Pick<SourceRow, 'workspace_id' | 'agent_id' | 'kind' | 'title'> &
  Partial<SourceRow>

/** The type as which a job reads a text: the same as when it is added. */
export const mediaTypeOfTexts = 'text/markdown; charset=utf-8'

/** A source whose storing has begun. */
export function newSourceRow(now: number, given: GivenOfSource): SourceRow {
  return {
    id: newId(now),
    url: null,
    status: 'processing',
    stage: 'storing',
    progress: 0,
    error_code: null,
    error_facts_json: null,
    byte_length: 0,
    sha256: '',
    filename: null,
    media_type: null,
    crawl_json: null,
    refresh_every: null,
    chunk_count: 0,
    token_count: 0,
    document_count: 0,
    last_indexed_at: null,
    next_refresh_at: null,
    round_started_at: null,
    vector_space_id: null,
    embedded_token_count: 0,
    is_answer: 0,
    created_at: now,
    updated_at: now,
    ...given,
  }
}

/**
 * A step: a new source of an agent.
 *
 * @param appId UUID or `app_name_id`
 * @param chunkCount its chunks, or 1 before it is read: reading it checks the limit too
 * @throws Fault record_not_found, plan_limit_reached, limit_reached
 */
export async function insertNewSource(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  { workspaceId, appId }: { readonly workspaceId: string; readonly appId: string },
  given: Pick<SourceRow, 'kind' | 'title'> & Partial<SourceRow>,
  chunkCount = 1,
): Promise<SourceRow> {
  const agent = await requireAgent(tx, workspaceId, appId)
  await requireRoom(tx, workspaceId, 'sourcesPerAgent', () => countSources(tx, agent.id))
  await requireRecordRoom(tx, ctx, 'sources_per_agent', agent.id)
  const owner = { workspace_id: workspaceId, agent_id: agent.id }
  const row = newSourceRow(ctx.clock.now(), { ...owner, ...given })
  await requireRecordRoom(tx, ctx, 'storage_bytes_per_workspace', workspaceId, row.byte_length)
  await requireRecordRoom(tx, ctx, 'chunks_per_workspace', workspaceId, chunkCount)
  await insertSource(tx, row)
  return row
}

/** A document of a source that searches do not find yet. */
export function newDocumentRow(
  now: number,
  source: Pick<SourceRow, 'id' | 'agent_id'>,
  given: Partial<DocumentRow> = {},
): DocumentRow {
  return {
    id: newId(now),
    source_id: source.id,
    agent_id: source.agent_id,
    status: 'building',
    url: null,
    title: null,
    sha256: null,
    etag: null,
    last_modified: null,
    links_json: '[]',
    chunk_count: 0,
    token_count: 0,
    term_count: 0,
    analysis_version: analysisVersion,
    page_count: null,
    checked_at: now,
    created_at: now,
    updated_at: now,
    ...given,
  }
}
