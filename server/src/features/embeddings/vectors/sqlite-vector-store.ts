import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import {
  deleteCodes,
  inheritCodes,
  insertCodes,
  type NearChunk,
  type VectorIndex,
  type VectorQuery,
} from './vector-store.ts'

/** sqlite-vec's functions over a plain table: there is nothing beside it that could differ from it. */
export const sqliteVectors: VectorIndex = {
  isAvailable,
  add: insertCodes,
  inherit: inheritCodes,
  deleteSome: deleteCodes,
  repair: () => Promise.resolve(false),
  rank,
}

async function isAvailable(reader: Reader): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pragma_function_list where name = 'vec_distance_cosine' limit 1
  `.execute(reader)
  return rows.length > 0
}

async function rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]> {
  const { spaceId, agentId, code, minSimilarity, limit } = query
  const { rows } = await sql<NearChunk>`
    with near as materialized (
      select chunk_id, 1 - vec_distance_cosine(vec_int8(code), vec_int8(${code})) as similarity
      from knowledge_vectors
      where space_id = ${spaceId}
        and chunk_id not in (
          select chunk.id
          from knowledge_documents as document
          join knowledge_chunks as chunk on chunk.document_id = document.id
          where document.agent_id = ${agentId} and document.status <> 'ready'
        )
      order by similarity desc, chunk_id
      limit ${limit}
    )
    select chunk.id as "chunkId", chunk.source_id as "sourceId", near.similarity as "similarity"
    from near join knowledge_chunks as chunk on chunk.id = near.chunk_id
    where near.similarity >= ${minSimilarity}
    order by near.similarity desc, near.chunk_id
  `.execute(reader)
  return rows
}
