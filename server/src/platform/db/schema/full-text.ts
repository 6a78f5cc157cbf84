import type { Generated } from 'kysely'

export interface FullTextSchema {
  knowledge_chunks: {
    id: Generated<number>
    source_id: string
    document_id: string
    agent_id: string
    ordinal: number
    heading: string
    page: number | null
    text: string
    token_count: number
    /** How many terms the analyser found: the document length of BM25. */
    term_count: number
  }
  /** What one agent knows, as search counts it. */
  knowledge_collections: {
    id: Generated<number>
    agent_id: string
    /** Chunks of sources that are ready. */
    chunk_count: number
    /** The terms of those chunks. */
    term_count: number
  }
  /** Postings of some of an agent's chunks. They never change; only the status does. */
  knowledge_segments: {
    id: Generated<number>
    name: string
    agent_id: string
    /** Null for a merged segment. */
    document_id: string | null
    /** See segment-status.ts. */
    status: string
    tier: number
    chunk_count: number
    /** The lengths of all its chunks together. */
    term_count: number
    chunk_ids: Uint8Array
    lengths: Uint8Array
  }
  /** The postings of a term: see postings.ts. */
  knowledge_entries: {
    segment_id: number
    term: string
    chunk_count: number
    postings: Uint8Array
  }
  /** The documents of merged segments. */
  knowledge_runs: {
    segment_id: number
    first_number: number
    chunk_count: number
    document_id: string
    is_removed: Generated<number>
  }
  /** The former index, SQLite only: FTS5 over the analysed terms of a chunk; rowid is its id. */
  knowledge_index: { rowid: number; heading_terms: string; body_terms: string }
  /** The former index, PostgreSQL only: the same terms as postings, for BM25. */
  knowledge_postings: { collection_id: number; term: string; batch_id: number }
}
