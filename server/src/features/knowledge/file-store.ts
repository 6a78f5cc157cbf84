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

export async function deletePieces(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledge_file_pieces').where('source_id', '=', sourceId).execute()
}
