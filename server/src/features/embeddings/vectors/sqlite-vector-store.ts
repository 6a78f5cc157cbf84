import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import { countInBlocks } from './vector-blocks.ts'
import {
  deleteCodes,
  inheritCodes,
  insertCodes,
  nearest,
  type ComparedChunk,
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

/** For a search that wants fewer: the estimates of the best few are those with the luckiest errors. */
const leastWanted = 100

/** A block may still hold chunks that were deleted: a search that meets some looks for more. */
async function rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]> {
  const { spaceId, limit, minSimilarity } = query
  for (let wanted = Math.max(limit, leastWanted); ;) {
    const found = await compare(reader, query, wanted)
    // Without any result it is unknown how many were lost.
    const lost = found[0]?.lost ?? wanted
    if (wanted - lost >= limit || wanted >= (await countInBlocks(reader, spaceId)))
      return found.filter(({ similarity }) => similarity >= minSimilarity)
    wanted = 2 * (limit + lost)
  }
}

function compare(reader: Reader, query: VectorQuery, wanted: number): Promise<ComparedChunk[]> {
  const { spaceId, code } = query
  const most = Math.max(mostCandidates, mostPerResult * wanted)
  const similarity = sql`1 - vec_distance_cosine(vec_int8(code), vec_int8(${code}))`
  // The similarity of a chunk that was deleted is null. `union` would sort all vectors of the space.
  const before = sql`compared as materialized (
      select
        value as chunk_id,
        case when code is not null then ${similarity} end as similarity
      from json_each((
        select nearest_in_blocks(
          id, case when is_block_cached(id) then null else content end, ${code}, ${wanted}, ${most}
        )
        from knowledge_vector_blocks where space_id = ${spaceId}
      ))
      left join knowledge_vectors
        on space_id = ${spaceId} and chunk_id = value and block_id is not null
      union all
      select chunk_id, ${similarity} from knowledge_vectors
      where space_id = ${spaceId} and block_id is null
    ),`
  return nearest(reader, query, {
    before,
    rows: sql`compared where similarity is not null`,
    similarity: sql`similarity`,
    lost: sql`(select count(*) from compared where similarity is null)`,
  })
}
