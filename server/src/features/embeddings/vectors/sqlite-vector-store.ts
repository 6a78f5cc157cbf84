import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import { countInBlocks } from './vector-blocks.ts'
import {
  deleteCodes,
  inheritCodes,
  insertCodes,
  nearest,
  type NearChunk,
  type VectorIndex,
  type VectorQuery,
} from './vector-store.ts'

/** Blocks find the vectors that may be near (`vector-blocks.ts`); sqlite-vec's functions compare these. */
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

/**
 * The most vectors that are compared exactly, at least and per wanted one. Random directions need
 * about 1,500 of 100,000; the vectors of a real model have far fewer that may be near.
 */
const mostCandidates = 1500
const mostPerResult = 5

/** A block may still hold chunks that were deleted, so a search that finds too few looks for more. */
async function rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]> {
  const { spaceId, limit, minSimilarity } = query
  for (let wanted = limit; ; wanted *= 8) {
    const found = await compare(reader, query, wanted)
    if (found.length >= limit || wanted >= (await countInBlocks(reader, spaceId)))
      return found.filter(({ similarity }) => similarity >= minSimilarity)
  }
}

function compare(reader: Reader, query: VectorQuery, wanted: number): Promise<NearChunk[]> {
  const { spaceId, code } = query
  const most = Math.max(mostCandidates, mostPerResult * wanted)
  const rows = sql`(
      select value as candidate_id from json_each((
        select nearest_in_blocks(content, ${code}, ${wanted}, ${most})
        from knowledge_vector_blocks where space_id = ${spaceId}
      ))
      union
      select chunk_id from knowledge_vectors where space_id = ${spaceId} and block_id is null
    ) cross join knowledge_vectors
    where space_id = ${spaceId} and chunk_id = candidate_id`
  const distance = sql`vec_distance_cosine(vec_int8(code), vec_int8(${code}))`
  return nearest(reader, query, { rows, distance })
}
