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
  const before = sql`candidate as materialized (
      select value as candidate_id from json_each((
        select nearest_in_blocks(content, ${code}, ${wanted}, ${most})
        from knowledge_vector_blocks where space_id = ${spaceId}
      ))
    ),`
  const lost = sql`(
      select count(*) from candidate
      where not exists (
        select 1 from knowledge_vectors where space_id = ${spaceId} and chunk_id = candidate_id
      )
    )`
  const rows = sql`(
      select candidate_id from candidate
      union
      select chunk_id from knowledge_vectors where space_id = ${spaceId} and block_id is null
    ) cross join knowledge_vectors
    where space_id = ${spaceId} and chunk_id = candidate_id`
  const distance = sql`vec_distance_cosine(vec_int8(code), vec_int8(${code}))`
  return nearest(reader, query, { before, rows, distance, lost })
}
