import { sql, type RawBuilder } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import { deleteSomeBlocks } from './vector-blocks.ts'

const deletedAtOnce = 500

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
  /** How many chunks the agent has. */
  readonly chunkCount: number
}

/** Vector search on both engines, if available: the same codes, the same cosine. */
export interface VectorIndex {
  /** Whether this database can search vectors: sqlite-vec is loaded or pgvector is installed. */
  isAvailable(reader: Reader): Promise<boolean>
  /** The chunks must exist. A chunk that already has a vector in the space keeps it. */
  add(tx: Tx, spaceId: number, codes: readonly ChunkCode[]): Promise<void>
  /** Copies the vectors of one document's chunks to another's chunks with the same text. */
  inherit(tx: Tx, from: string, to: string): Promise<void>
  /** Deletes some vectors of a space and what is derived from them. @returns whether any may be left */
  deleteSome(tx: Tx, spaceId: number): Promise<boolean>
  /** Restores missing index rows from the stored codes. @returns whether any were missing */
  repair(tx: Tx, limit: number): Promise<boolean>
  /**
   * Chunks of ready documents, nearest first, with their exact similarity. Of a large agent's chunks,
   * only those that may be near are compared, so a few may be missed.
   */
  rank(reader: Reader, query: VectorQuery): Promise<NearChunk[]>
}

/** Stores codes, which both engines keep in the same table. */
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

/** Pairs of chunks of two documents with the same heading and text, for `inherit`. */
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

/** Deletes some codes of a space and, before them, its blocks. @returns whether any may be left */
export async function deleteCodes(tx: Tx, spaceId: number): Promise<boolean> {
  if (await deleteSomeBlocks(tx, spaceId)) return true
  const some = tx
    .selectFrom('knowledge_vectors')
    .select('chunk_id')
    .where('space_id', '=', spaceId)
    .orderBy('chunk_id')
    .limit(deletedAtOnce)
  const deleted = await tx
    .deleteFrom('knowledge_vectors')
    .where('space_id', '=', spaceId)
    .where('chunk_id', 'in', some)
    .executeTakeFirst()
  return Number(deleted.numDeletedRows) === deletedAtOnce
}

export interface Compared {
  /** A common table expression for `rows` and `lost`, with a comma at its end. */
  readonly before?: RawBuilder<unknown>
  /** Rows with a `chunk_id`, as a `from` clause with its conditions. */
  readonly rows: RawBuilder<unknown>
  /** The cosine of a row's vector and the question. */
  readonly similarity: RawBuilder<unknown>
  /** For an index; the result is sorted in any case. */
  readonly order?: RawBuilder<unknown>
  /** How many chunks would have been compared, but were deleted. */
  readonly lost?: RawBuilder<unknown>
}

export interface ComparedChunk extends NearChunk {
  /** The same for all chunks. */
  readonly lost: number
}

const nothing = sql``
const byDistance = sql`similarity desc, chunk_id`

/** The chunks of ready documents nearest to a question, among those that are compared, however far. */
export async function nearest(
  reader: Reader,
  { agentId, limit }: VectorQuery,
  { before = nothing, lost = sql`0`, order = byDistance, rows: compared, similarity }: Compared,
): Promise<ComparedChunk[]> {
  const { rows } = await sql<ComparedChunk>`
    with ${before} near as materialized (
      select chunk_id, ${similarity} as similarity
      from ${compared}
        and chunk_id not in (
          select chunk.id
          from knowledge_documents as document
          join knowledge_chunks as chunk on chunk.document_id = document.id
          where document.agent_id = ${agentId} and document.status <> 'ready'
        )
      order by ${order}
      limit ${limit}
    )
    select
      chunk.id as "chunkId", chunk.source_id as "sourceId", near.similarity as "similarity",
      ${lost} as "lost"
    from near join knowledge_chunks as chunk on chunk.id = near.chunk_id
    order by near.similarity desc, near.chunk_id
  `.execute(reader)
  return rows
}
