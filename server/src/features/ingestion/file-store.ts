import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'

export async function insertPiece(
  tx: Tx,
  sourceId: string,
  ordinal: number,
  bytes: Uint8Array,
): Promise<void> {
  await tx
    .insertInto('knowledge_file_pieces')
    .values({ source_id: sourceId, ordinal, bytes })
    .execute()
}

/** The piece of that number, from 0; undefined after the last. */
export async function findPiece(
  reader: Reader,
  sourceId: string,
  ordinal: number,
): Promise<Uint8Array | undefined> {
  const row = await reader
    .selectFrom('knowledge_file_pieces')
    .select('bytes')
    .where('source_id', '=', sourceId)
    .where('ordinal', '=', ordinal)
    .executeTakeFirst()
  return row?.bytes
}

/** How many bytes of a source are stored. */
export async function countStoredBytes(reader: Reader, sourceId: string): Promise<number> {
  const { bytes } = await reader
    .selectFrom('knowledge_file_pieces')
    .select(sql<number | null>`sum(length(bytes))`.as('bytes'))
    .where('source_id', '=', sourceId)
    .executeTakeFirstOrThrow()
  return Number(bytes)
}

export async function deletePieces(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledge_file_pieces').where('source_id', '=', sourceId).execute()
}
