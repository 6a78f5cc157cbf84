import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import {
  deleteCodes,
  inheritCodes,
  insertCodes,
  nearest,
  type NearChunk,
  type VectorIndex,
  type VectorQuery,
} from './vector-store.ts'

/** sqlite-vec's functions over a plain table, without an index that could differ from it. */
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

function rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]> {
  const distance = sql`vec_distance_cosine(vec_int8(code), vec_int8(${query.code}))`
  return nearest(reader, query, 'knowledge_vectors', distance)
}
