import type { DocumentRow, SourceRow } from '#features/knowledge/index.ts'
import { newId } from '#kernel/ids.ts'

type GivenOfSource = Pick<SourceRow, 'workspace_id' | 'agent_id' | 'kind' | 'title'> &
  Partial<SourceRow>

/** How a job reads a text: as adding it would have. */
export const mediaTypeOfTexts = 'text/markdown; charset=utf-8'

/** A source that somebody has begun to store. */
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
    created_at: now,
    updated_at: now,
    ...given,
  }
}

/** A document of a source that no search finds yet. */
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
    page_count: null,
    checked_at: now,
    created_at: now,
    updated_at: now,
    ...given,
  }
}
