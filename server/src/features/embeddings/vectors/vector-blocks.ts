import { sql } from 'kysely'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

/**
 * A search compares up to about so many vectors of a space exactly, in two milliseconds. A block of
 * 1,536 dimensions is built in 0.1 s, in the worker thread.
 */
export const vectorsPerBlock = 1024

/**
 * Collects the vectors of a space that are in no block in new blocks, as long as they fill one.
 * PostgreSQL builds none, because pgvector has an index of its own.
 */
export async function packVectors(
  { db }: Pick<Context, 'db'>,
  spaceId: number,
  signal: AbortSignal,
): Promise<void> {
  if (db.engine !== 'sqlite') return
  while (await isInUse(db.read, spaceId)) {
    signal.throwIfAborted()
    const ids = await listUnpacked(db.read, spaceId)
    if (ids.length < vectorsPerBlock) return
    const content = await buildBlock(db.scan, spaceId, ids)
    if (content !== null) await db.write((tx) => insertBlock(tx, { spaceId, ids, content }))
  }
}

/** The vectors of a retired space are being deleted. */
async function isInUse(reader: Reader, spaceId: number): Promise<boolean> {
  const space = await reader
    .selectFrom('knowledge_vector_spaces')
    .select('id')
    .where('id', '=', spaceId)
    .where('status', '<>', 'retired')
    .executeTakeFirst()
  return space !== undefined
}

async function listUnpacked(reader: Reader, spaceId: number): Promise<number[]> {
  const rows = await reader
    .selectFrom('knowledge_vectors')
    .select('chunk_id')
    .where('space_id', '=', spaceId)
    .where('block_id', 'is', null)
    .orderBy('chunk_id')
    .limit(vectorsPerBlock)
    .execute()
  return rows.map(({ chunk_id }) => chunk_id)
}

/** Null when all of the vectors were deleted meanwhile. */
async function buildBlock(
  reader: Reader,
  spaceId: number,
  ids: readonly number[],
): Promise<Uint8Array | null> {
  const { rows } = await sql<{ content: Uint8Array | null }>`
    select vector_block(chunk_id, code) as content from knowledge_vectors
    where space_id = ${spaceId} and chunk_id in (select value from json_each(${JSON.stringify(ids)}))
  `.execute(reader)
  return rows[0]?.content ?? null
}

interface NewBlock {
  readonly spaceId: number
  readonly ids: readonly number[]
  readonly content: Uint8Array
}

/** A step. If a vector was deleted or packed meanwhile, the block counts as worn from the start. */
async function insertBlock(tx: Tx, { spaceId, ids, content }: NewBlock): Promise<void> {
  if (!(await isInUse(tx, spaceId))) return
  const { id } = await tx
    .insertInto('knowledge_vector_blocks')
    .values({ space_id: spaceId, vector_count: ids.length, content })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    update knowledge_vectors set block_id = ${id}
    where space_id = ${spaceId} and block_id is null
      and chunk_id in (select value from json_each(${JSON.stringify(ids)}))
  `.execute(tx)
}

/** Including vectors that were deleted since. */
export async function countInBlocks(reader: Reader, spaceId: number): Promise<number> {
  const { count } = await reader
    .selectFrom('knowledge_vector_blocks')
    .select((e) => e.fn.sum<number | null>('vector_count').as('count'))
    .where('space_id', '=', spaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Spaces with vectors that fill a block. */
export async function listSpacesToPack(reader: Reader): Promise<number[]> {
  const rows = await reader
    .selectFrom('knowledge_vectors')
    .select('space_id')
    .where('block_id', 'is', null)
    .groupBy('space_id')
    .having((e) => e.fn.countAll(), '>=', vectorsPerBlock)
    .execute()
  return rows.map(({ space_id }) => space_id)
}

export interface WornBlock {
  readonly id: number
  readonly space_id: number
}

/** Blocks with vectors that were deleted since. */
export async function listWornBlocks(reader: Reader): Promise<WornBlock[]> {
  const { rows } = await sql<WornBlock>`
    select block.id, block.space_id from knowledge_vector_blocks as block
    where block.vector_count > (
      select count(*) from knowledge_vectors as vector
      where vector.space_id = block.space_id and vector.block_id = block.id
    )
  `.execute(reader)
  return rows
}

/** A step: deletes a block; searches compare its vectors exactly until they are in another one. */
export async function unpackBlock(tx: Tx, { id, space_id }: WornBlock): Promise<void> {
  await tx
    .updateTable('knowledge_vectors')
    .set({ block_id: null })
    .where('space_id', '=', space_id)
    .where('block_id', '=', id)
    .execute()
  await tx.deleteFrom('knowledge_vector_blocks').where('id', '=', id).execute()
}

/** Deletes some blocks of a space. @returns whether there were any */
export async function deleteSomeBlocks(tx: Tx, spaceId: number): Promise<boolean> {
  const some = tx
    .selectFrom('knowledge_vector_blocks')
    .select('id')
    .where('space_id', '=', spaceId)
    .limit(10)
  const { numDeletedRows } = await tx
    .deleteFrom('knowledge_vector_blocks')
    .where('id', 'in', some)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
