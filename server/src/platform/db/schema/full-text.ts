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
  /** SQLite only: an FTS5 table over the analysed terms of a chunk; rowid is the chunk's id. */
  knowledge_index: { rowid: number; heading_terms: string; body_terms: string }
  /** PostgreSQL only: the same terms as postings, for BM25 from term statistics. */
  knowledge_postings: { collection_id: number; term: string; batch_id: number }
}
