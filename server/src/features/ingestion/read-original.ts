import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import { findObject } from './file-object-store.ts'
import { readPiece } from './file-store.ts'
import { ingestionFaults } from './ingestion-faults.ts'

/**
 * The stored bytes of a source, in pieces. They may be moved between the database and a store of objects
 * while they are read.
 *
 * @throws Fault source_bytes_unavailable when the store of objects does not answer or refuses;
 *   source_bytes_lost when it has no such object
 */
export async function* readOriginal(
  ctx: Pick<Context, 'db' | 'objects' | 'log'>,
  sourceId: string,
): AsyncGenerator<Uint8Array> {
  let sent = 0
  for (let ordinal = 0; ; ordinal += 1) {
    const object = ordinal === 0 ? await findObject(ctx.db.read, sourceId) : undefined
    const piece = object === undefined ? await readPiece(ctx.db.read, sourceId, ordinal) : null
    if (piece === null) break
    sent += piece.length
    yield piece
  }
  const object = await findObject(ctx.db.read, sourceId)
  if (object !== undefined) yield* after(sent, readObject(ctx, object.address))
}

async function* readObject(
  { objects, log }: Pick<Context, 'objects' | 'log'>,
  address: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* objects.get(address)
  } catch (error) {
    if (!isNamed<Error & { code: string }>(error, 'ObjectStoreError')) throw error
    log.error({ err: error, address }, 'a file cannot be read from the store of objects')
    const isLost = error.code === 'NoSuchKey'
    throw new Fault(
      isLost ? ingestionFaults.source_bytes_lost : ingestionFaults.source_bytes_unavailable,
    )
  }
}

/** Without the first `skipped` bytes. */
async function* after(
  skipped: number,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of pieces) {
    const rest = piece.subarray(Math.max(0, skipped - at))
    at += piece.length
    if (rest.length > 0) yield rest
  }
}
