import type { Insertable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** Where the bytes of a file are; undefined while the database has them. */
export async function findObject(reader: Reader, sourceId: string) {
  return await reader
    .selectFrom('knowledge_file_objects')
    .selectAll()
    .where('source_id', '=', sourceId)
    .executeTakeFirst()
}

/** A step: the file is in the store, so the object stays. */
export async function referToObject(
  tx: Tx,
  object: Insertable<Schema['knowledge_file_objects']>,
): Promise<void> {
  await tx.insertInto('knowledge_file_objects').values(object).execute()
  await unlistObject(tx, object.address)
}

/** A step: the object is deleted from its store later. */
export async function forgetObject(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledge_file_objects').where('source_id', '=', sourceId).execute()
}

/** A step: tries again at `dueAt` to delete an object. */
export async function delayDeletion(tx: Tx, address: string, dueAt: number): Promise<void> {
  await tx
    .updateTable('object_deletions')
    .set({ due_at: dueAt })
    .where('address', '=', address)
    .execute()
}

/** A step: keeps the object of a file that was moved until `dueAt`, or until the file is deleted. */
export async function keepReplaced(
  tx: Tx,
  { sourceId, address, dueAt }: Readonly<{ sourceId: string; address: string; dueAt: number }>,
): Promise<void> {
  await tx
    .updateTable('object_deletions')
    .set({ due_at: dueAt, source_id: sourceId })
    .where('address', '=', address)
    .execute()
}

/** A step: deletes the objects that a file had before. */
export async function endReplaced(tx: Tx, sourceId: string): Promise<void> {
  await tx
    .updateTable('object_deletions')
    .set({ due_at: 0 })
    .where('source_id', '=', sourceId)
    .execute()
}

/** How many objects are listed for deletion, and when the last of them is due; null for none. */
export async function countListed(
  reader: Reader,
): Promise<{ readonly count: number; readonly lastDue: number } | null> {
  const { count, last } = await reader
    .selectFrom('object_deletions')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('due_at').as('last')])
    .executeTakeFirstOrThrow()
  return Number(count) === 0 ? null : { count: Number(count), lastDue: Number(last) }
}

/**
 * A step after a restore. The database that was backed up may be in use: its objects are only read from
 * now on, and nothing deletes them. The service stores objects of its own in their place.
 */
export async function shareObjects(tx: Tx): Promise<void> {
  await tx.updateTable('knowledge_file_objects').set({ is_shared: 1 }).execute()
  await tx.deleteFrom('object_deletions').execute()
}

/** A step: deletes an object at `dueAt`, unless a file refers to it by then. */
export async function listObjectForDeletion(tx: Tx, address: string, dueAt: number): Promise<void> {
  await tx
    .insertInto('object_deletions')
    .values({ address, due_at: dueAt })
    .onConflict((conflict) => conflict.column('address').doUpdateSet({ due_at: dueAt }))
    .execute()
}

/** A step: the object is deleted, or is referred to. */
export async function unlistObject(tx: Tx, address: string): Promise<void> {
  await tx.deleteFrom('object_deletions').where('address', '=', address).execute()
}

/** Addresses, oldest first. */
export async function listObjectsToDelete(
  reader: Reader,
  now: number,
  limit: number,
): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('object_deletions')
    .select('address')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ address }) => address)
}

/** How many files are not at `place` (null for the database). */
export async function countMisplaced(reader: Reader, place: string | null): Promise<number> {
  const { count } = await misplaced(reader, place)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Their sources, by id. */
export async function listMisplaced(
  reader: Reader,
  place: string | null,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await misplaced(reader, place)
    .select('source.id')
    .where('source.id', '>', after)
    .orderBy('source.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

function misplaced(reader: Reader, place: string | null) {
  const files = reader
    .selectFrom('knowledge_sources as source')
    .leftJoin('knowledge_file_objects as object', 'object.source_id', 'source.id')
    .where('source.kind', '=', 'file')
    .where('source.byte_length', '>', 0)
  if (place === null) return files.where('object.address', 'is not', null)
  // The sign after `/`, so that an index can find the addresses of another place.
  return files.where(({ or, eb }) =>
    or([
      eb('object.address', 'is', null),
      eb('object.is_shared', '=', 1),
      eb('object.address', '<', `${place}/`),
      eb('object.address', '>=', `${place}0`),
    ]),
  )
}
