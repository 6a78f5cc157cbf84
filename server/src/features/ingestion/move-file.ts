import { createHash, randomUUID } from 'node:crypto'
import { findOwned } from '#features/agents/index.ts'
import type { SourceRow } from '#features/knowledge/index.ts'
import { inPieces, pieceBytes } from '#kernel/byte-pieces.ts'
import { dayMs, hourMs } from '#kernel/durations.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  findObject,
  forgetObject,
  keepReplaced,
  listObjectForDeletion,
  referToObject,
} from './file-object-store.ts'
import { countPieceBytes, deletePiecesFrom, insertPiece } from './file-store.ts'
import { readOriginal } from './read-original.ts'

type Ports = Pick<Context, 'db' | 'clock' | 'objects' | 'log' | 'config'>

/** The stored bytes are not those that were uploaded. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile'
}

/** A unit deletes this many pieces of 256 KiB, so that other writes wait for some milliseconds only. */
const piecesPerUnit = 8

/**
 * Moves the bytes of a file to where `FILES_TO` says, and can be repeated after any interruption: the
 * file refers to an object only when the store has all of it, and back to the database only when that
 * has all of it.
 *
 * @returns false if the file is where it belongs, is not stored completely, or was deleted
 * @throws ObjectStoreError, DamagedFile, Fault source_bytes_unavailable, source_bytes_lost; the signal's
 *   reason
 */
export async function moveFile(
  ctx: Ports,
  sourceId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, objects } = ctx
  const row = await findOwned(db.read, 'knowledge_sources', sourceId)
  if (row === undefined || row.kind !== 'file' || row.stage === 'storing') return false
  const object = await findObject(db.read, sourceId)
  const held = await countPieceBytes(db.read, sourceId)
  if (object === undefined && held !== row.byte_length) return false
  if (objects.place === null) {
    if (object === undefined) return false
    await moveToDatabase(ctx, row, signal)
    return true
  }
  if (object?.is_shared === 0 && object.address.startsWith(`${objects.place}/`)) {
    // Left behind by a process that was killed while it deleted them.
    await deletePieces(ctx, sourceId)
    return held > 0
  }
  await moveToStore(ctx, row, signal)
  return true
}

async function moveToStore(ctx: Ports, row: SourceRow, signal: AbortSignal): Promise<void> {
  const { db, objects, clock } = ctx
  const address = `${objects.place}/${row.id}-${randomUUID()}`
  const byTomorrow = clock.now() + dayMs
  await db.write((tx) => listObjectForDeletion(tx, address, byTomorrow))
  const bytes = stoppable(signal, checked(row, readOriginal(ctx, row.id)))
  await objects.put(address, { size: row.byte_length, bytes })
  const isMoved = await db.write(async (tx) => {
    if (!(await isSame(tx, row))) return false
    await replaceObject(tx, ctx, row.id)
    await referToObject(tx, { source_id: row.id, address, byte_length: row.byte_length })
    return true
  })
  if (isMoved) await deletePieces(ctx, row.id)
}

async function moveToDatabase(ctx: Ports, row: SourceRow, signal: AbortSignal): Promise<void> {
  const { db } = ctx
  await deletePieces(ctx, row.id)
  let ordinal = 0
  const bytes = stoppable(signal, checked(row, readOriginal(ctx, row.id)))
  for await (const piece of inPieces(bytes, pieceBytes)) {
    const number = ordinal++
    await db.write(async (tx) => {
      if (await isSame(tx, row)) await insertPiece(tx, row.id, number, piece)
    })
  }
  await db.write(async (tx) => {
    if ((await countPieceBytes(tx, row.id)) === row.byte_length)
      await replaceObject(tx, ctx, row.id)
  })
}

/** A step. What is reading the object may still finish, and backups from before refer to it. */
async function replaceObject(tx: Tx, { clock, config }: Ports, sourceId: string): Promise<void> {
  const object = await findObject(tx, sourceId)
  if (object === undefined) return
  await forgetObject(tx, sourceId)
  const dueAt = clock.now() + Math.max(hourMs, config.movedFileDays * dayMs)
  await keepReplaced(tx, { sourceId, address: object.address, dueAt })
}

/** Whether the file was neither deleted nor replaced while its bytes were moved. */
async function isSame(tx: Tx, { id, sha256 }: SourceRow): Promise<boolean> {
  return (await findOwned(tx, 'knowledge_sources', id))?.sha256 === sha256
}

/** Of a file that is in a store. A process with another `FILES_TO` may have moved it back meanwhile. */
async function deletePieces({ db }: Ports, sourceId: string): Promise<void> {
  const some = () =>
    db.write(async (tx) =>
      (await findObject(tx, sourceId)) === undefined
        ? 0
        : await deletePiecesFrom(tx, sourceId, piecesPerUnit),
    )
  while ((await some()) > 0);
}

async function* stoppable(
  signal: AbortSignal,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    signal.throwIfAborted()
    yield piece
  }
}

/** @throws DamagedFile when the bytes are not those of the file */
async function* checked(
  { sha256 }: SourceRow,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') !== sha256)
    throw new DamagedFile('the bytes of a file do not match its hash')
}
