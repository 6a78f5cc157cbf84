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

export async function* readPieces(reader: Reader, sourceId: string): AsyncGenerator<Uint8Array> {
  for (let ordinal = 0; ; ordinal++) {
    const piece = await reader
      .selectFrom('knowledge_file_pieces')
      .select('bytes')
      .where('source_id', '=', sourceId)
      .where('ordinal', '=', ordinal)
      .executeTakeFirst()
    if (piece === undefined) return
    yield piece.bytes
  }
}

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
