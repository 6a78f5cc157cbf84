import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import { endReplaced, findObject, forgetObject } from './file-object-store.ts'

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

/** Null when it is not stored: the file has ended, or is in a store of objects. */
export async function readPiece(
  reader: Reader,
  sourceId: string,
  ordinal: number,
): Promise<Uint8Array | null> {
  const piece = await reader
    .selectFrom('knowledge_file_pieces')
    .select('bytes')
    .where('source_id', '=', sourceId)
    .where('ordinal', '=', ordinal)
    .executeTakeFirst()
  return piece?.bytes ?? null
}

/** In the database or in a store of objects. */
export async function countStoredBytes(reader: Reader, sourceId: string): Promise<number> {
  const object = await findObject(reader, sourceId)
  return object?.byte_length ?? (await countPieceBytes(reader, sourceId))
}

/** Of the pieces in the database alone. */
export async function countPieceBytes(reader: Reader, sourceId: string): Promise<number> {
  const { bytes } = await reader
    .selectFrom('knowledge_file_pieces')
    .select(sql<number | null>`sum(length(bytes))`.as('bytes'))
    .where('source_id', '=', sourceId)
    .executeTakeFirstOrThrow()
  return Number(bytes)
}

/** A step: `count` pieces of a source. @returns how many it had */
export async function deletePiecesFrom(tx: Tx, sourceId: string, count: number): Promise<number> {
  const some = await tx
    .selectFrom('knowledge_file_pieces')
    .select('ordinal')
    .where('source_id', '=', sourceId)
    .orderBy('ordinal', 'desc')
    .limit(count)
    .execute()
  const last = some.at(-1)
  if (last === undefined) return 0
  await tx
    .deleteFrom('knowledge_file_pieces')
    .where('source_id', '=', sourceId)
    .where('ordinal', '>=', last.ordinal)
    .execute()
  return some.length
}

/** A step: forgets the bytes of a source; its objects are deleted from their stores later. */
export async function deleteBytes(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledge_file_pieces').where('source_id', '=', sourceId).execute()
  await forgetObject(tx, sourceId)
  await endReplaced(tx, sourceId)
}
