import { sql, type RawBuilder } from 'kysely'

/**
 * Whether a chunk belongs to a document that searches find. While one of the agent's is being read, or
 * deleted, each chunk that was hit is looked up: they are few, and listing all that are not ready would
 * take longer the larger the document is.
 */
export function isReady(agentId: string, chunkId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(
    not exists (
      select 1 from knowledge_documents
      where agent_id = ${agentId} and status <> 'ready'
    )
    or 'ready' = (
      select document.status
      from knowledge_chunks as chunk
      join knowledge_documents as document on document.id = chunk.document_id
      where chunk.id = ${chunkId}
    )
  )`
}
