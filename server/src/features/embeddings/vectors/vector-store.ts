import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'

export interface ChunkCode {
  readonly chunkId: number
  /** See `codeOf`. */
  readonly code: Uint8Array
}

export interface NearChunk {
  readonly chunkId: number
  readonly sourceId: string
  /** The cosine of the angle between chunk and question: at most 1. */
  readonly similarity: number
}

export interface VectorQuery {
  readonly spaceId: number
  readonly agentId: string
  readonly code: Uint8Array
  readonly minSimilarity: number
  readonly limit: number
}

/** Vectors as both engines offer them, where they do: the same codes, the same cosine. */
export interface VectorIndex {
  /** Whether this database can search vectors: sqlite-vec is loaded, or pgvector is there. */
  isAvailable(reader: Reader): Promise<boolean>
  /** Of chunks that exist; a chunk that has a vector in the space keeps it. */
  add(tx: Tx, spaceId: number, codes: readonly ChunkCode[]): Promise<void>
  /** Gives chunks of one document the vectors that chunks of another have for the same text. */
  inherit(tx: Tx, from: string, to: string): Promise<void>
  /** Deletes vectors of a space, at most so many. @returns how many */
  deleteSome(tx: Tx, spaceId: number, limit: number): Promise<number>
  /** Makes what is derived from the stored codes, where it is missing. @returns whether some was */
  repair(tx: Tx, limit: number): Promise<boolean>
  /** Chunks of ready documents, nearest first: compared one by one, so that none is missed. */
  rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]>
}

/** Codes as both engines keep them; each has its own way of searching them. */
export async function insertCodes(
  tx: Tx,
  spaceId: number,
  codes: readonly ChunkCode[],
): Promise<void> {
  if (codes.length === 0) return
  const rows = codes.map(({ chunkId, code }) => ({ space_id: spaceId, chunk_id: chunkId, code }))
  await tx
    .insertInto('knowledge_vectors')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** What `inherit` copies: the pairs of chunks of two documents that say the same under the same head. */
export const sameChunks = (from: string, to: string) => sql`
  select min(old.id) as old_id, fresh.id as new_id
  from knowledge_chunks as fresh
  join knowledge_chunks as old
    on old.document_id = ${from} and old.heading = fresh.heading and old.text = fresh.text
  where fresh.document_id = ${to}
  group by fresh.id
`

export async function inheritCodes(tx: Tx, from: string, to: string): Promise<void> {
  await sql`
    insert into knowledge_vectors (space_id, chunk_id, code)
    select vector.space_id, pair.new_id, vector.code
    from (${sameChunks(from, to)}) as pair
    join knowledge_vectors as vector on vector.chunk_id = pair.old_id
    where true
    on conflict do nothing
  `.execute(tx)
}

/** @returns how many were deleted */
export async function deleteCodes(tx: Tx, spaceId: number, limit: number): Promise<number> {
  const some = tx
    .selectFrom('knowledge_vectors')
    .select('chunk_id')
    .where('space_id', '=', spaceId)
    .orderBy('chunk_id')
    .limit(limit)
  const deleted = await tx
    .deleteFrom('knowledge_vectors')
    .where('space_id', '=', spaceId)
    .where('chunk_id', 'in', some)
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
