import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { ChunkCode } from './vector-index.ts'

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
