import type { Generated } from 'kysely'

export interface EmbeddingsSchema {
  knowledge_vector_spaces: {
    id: Generated<number>
    agent_id: string
    /** `<provider>/<model>` */
    model: string
    dimensions: number
    /** `building`, `serving` or `retired`. */
    status: string
    created_at: number
    updated_at: number
  }
  knowledge_vectors: {
    space_id: number
    chunk_id: number
    code: Uint8Array
    /** Null for a vector that is not in a block. */
    block_id: Generated<number | null>
  }
  knowledge_vector_blocks: {
    id: Generated<number>
    space_id: number
    vector_count: number
    /** See `VectorBlock`. It may still hold chunks that were deleted. */
    content: Uint8Array
  }
  /**
   * PostgreSQL with pgvector only, made by `enableVectors`: the same vectors as that extension's type,
   * which goes over the wire as text.
   */
  knowledge_vector_index: { space_id: number; chunk_id: number; embedding: string }
}
