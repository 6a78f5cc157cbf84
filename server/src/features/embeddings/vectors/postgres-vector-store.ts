import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import { textOfCode } from './vector-code.ts'
import { indexedType, indexSettings, leastIndexed } from './postgres-vector-indexes.ts'
import {
  deleteCodes,
  inheritCodes,
  insertCodes,
  nearest,
  sameChunks,
  type ChunkCode,
  type Compared,
  type NearChunk,
  type VectorIndex,
  type VectorQuery,
} from './vector-store.ts'

/**
 * pgvector. The codes are stored as on SQLite, so a copy of the database works on either engine and on
 * a server without the extension. The searched table is derived from them, in pgvector's type; see also
 * `tendVectorIndexes`.
 */
export const postgresVectors: VectorIndex = {
  isAvailable,
  add,
  inherit,
  deleteSome,
  repair,
  rank,
}

async function isAvailable(reader: Reader): Promise<boolean> {
  const { rows } = await sql`
    select 1 where to_regclass('knowledge_vector_index') is not null
  `.execute(reader)
  return rows.length > 0
}

async function add(tx: Tx, spaceId: number, codes: readonly ChunkCode[]): Promise<void> {
  await insertCodes(tx, spaceId, codes)
  await insertVectors(
    tx,
    codes.map((one) => ({ spaceId, ...one })),
  )
}

async function insertVectors(
  tx: Tx,
  codes: readonly (ChunkCode & { readonly spaceId: number })[],
): Promise<void> {
  if (codes.length === 0) return
  const rows = codes.map(({ spaceId, chunkId, code }) => ({
    space_id: spaceId,
    chunk_id: chunkId,
    embedding: textOfCode(code),
  }))
  await sql`
    insert into knowledge_vector_index (space_id, chunk_id, embedding)
    select space_id, chunk_id, embedding::vector
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as given (space_id bigint, chunk_id bigint, embedding text)
    on conflict do nothing
  `.execute(tx)
}

async function inherit(tx: Tx, from: string, to: string): Promise<void> {
  await inheritCodes(tx, from, to)
  if (!(await isAvailable(tx))) return
  await sql`
    insert into knowledge_vector_index (space_id, chunk_id, embedding)
    select vector.space_id, pair.new_id, vector.embedding
    from (${sameChunks(from, to)}) as pair
    join knowledge_vector_index as vector on vector.chunk_id = pair.old_id
    on conflict do nothing
  `.execute(tx)
}

async function deleteSome(tx: Tx, spaceId: number): Promise<boolean> {
  if (await deleteCodes(tx, spaceId)) return true
  if (await isAvailable(tx))
    await tx.deleteFrom('knowledge_vector_index').where('space_id', '=', spaceId).execute()
  return false
}

async function repair(tx: Tx, limit: number): Promise<boolean> {
  const missing = await tx
    .selectFrom('knowledge_vectors as vector')
    .leftJoin('knowledge_vector_index as known', (join) =>
      join
        .onRef('known.space_id', '=', 'vector.space_id')
        .onRef('known.chunk_id', '=', 'vector.chunk_id'),
    )
    .where('known.chunk_id', 'is', null)
    .select(['vector.space_id as spaceId', 'vector.chunk_id as chunkId', 'vector.code'])
    .limit(limit)
    .execute()
  await insertVectors(tx, missing)
  return missing.length > 0
}

/** A large space is searched by an index, unless that finds too few; any other one by each vector. */
async function rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]> {
  const isLarge = query.chunkCount >= leastIndexed && query.limit <= mostByIndex
  let found = isLarge ? await nearest(reader, query, byIndex(query)) : []
  if (found.length < query.limit) found = await nearest(reader, query, oneByOne(query))
  return found.filter(({ similarity }) => similarity >= query.minSimilarity)
}

/** More are found faster without an index. */
const mostByIndex = 1000

function oneByOne({ spaceId, code }: VectorQuery): Compared {
  return {
    rows: sql`knowledge_vector_index where space_id = ${spaceId}`,
    similarity: sql`1 - (embedding <=> ${textOfCode(code)}::vector)`,
  }
}

/** As `oneByOne`, but in the words of the index of these dimensions, if there is one. */
function byIndex(query: VectorQuery): Compared {
  const { spaceId, code, limit } = query
  const type = indexedType(code.length)
  if (type === null) return oneByOne(query)
  const distance = sql`((embedding::${type}) <=> ${textOfCode(code)}::${type})`
  const rows = sql`knowledge_vector_index
    where ${indexSettings(limit)} and space_id = ${spaceId}
      and vector_dims(embedding) = ${sql.lit(code.length)}`
  return { rows, similarity: sql`1 - ${distance}`, order: distance }
}
