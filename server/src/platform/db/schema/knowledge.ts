import type { Generated } from 'kysely'

export interface KnowledgeSchema {
  knowledge_sources: {
    id: string
    workspace_id: string
    agent_id: string
    kind: string
    title: string
    url: string | null
    status: string
    /** What is being done while it is `processing`; `storing` needs the process that began it. */
    stage: string | null
    /** Of the stage, in hundredths. */
    progress: Generated<number>
    error_code: string | null
    error_facts_json: string | null
    byte_length: number
    sha256: string
    filename: string | null
    media_type: string | null
    crawl_json: string | null
    refresh_every: string | null
    chunk_count: number
    token_count: number
    document_count: Generated<number>
    last_indexed_at: number | null
    next_refresh_at: number | null
    round_started_at: number | null
    /** The vector space that holds all of its chunks; null while some are missing. */
    vector_space_id: number | null
    embedded_token_count: Generated<number>
    /** 1 for a text that answers a question: its passages outrank others. */
    is_answer: Generated<number>
    created_at: number
    updated_at: number
  }
  /** A text, a file or a page of a source. */
  knowledge_documents: {
    id: string
    source_id: string
    agent_id: string
    /** `building`, `ready`, or `retired`: replaced, its chunks not yet deleted. */
    status: string
    url: string | null
    title: string | null
    sha256: string | null
    etag: string | null
    last_modified: string | null
    links_json: string
    chunk_count: number
    token_count: number
    term_count: number
    /** Of the terms of its segments; null when only the former index has them. */
    analysis_version: string | null
    page_count: number | null
    checked_at: number
    created_at: number
    updated_at: number
  }
}
