import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '#platform/context.ts'
import { findChunkIds, writeAnalysisState } from './analysis-store.ts'
import { analysisVersion, termsOfChunk } from '#features/text-analysis/index.ts'
import { searchIndexes } from './search-index.ts'
import { lastChunkId, listChunksAfter, takeCollection, type ChunkToIndex } from './chunk-store.ts'

interface Pace {
  /** The last chunk that is already indexed; 0 for none. */
  readonly after: number
  readonly chunksPerUnit: number
  /** Whether to pause between units for other requests. */
  readonly isBackground: boolean
  readonly signal?: AbortSignal
}

const maxPauseMs = 100

/**
 * Rebuilds the full-text index from the stored chunks: for a database that was copied from the other
 * engine without its index, and for one whose terms an older analyser made. Progress is stored, so an
 * interrupted run can be resumed. Chunks added meanwhile already have the present terms and are not
 * counted: the run ends at the last chunk that existed when it began.
 *
 * @returns the number of indexed chunks
 */
export async function rebuildIndex(
  ctx: Pick<Context, 'db'>,
  { after, chunksPerUnit, isBackground, signal }: Pace = unhindered,
): Promise<number> {
  const end = await lastChunkId(ctx.db.read)
  let [count, done] = [0, after]
  while (done < end) {
    signal?.throwIfAborted()
    const startedAt = performance.now()
    const chunks = await listUnit(ctx.db, done, chunksPerUnit)
    const last = chunks.at(-1)
    if (last === undefined) break
    await reindex(ctx, chunks, last.id)
    done = last.id
    count += chunks.length
    if (isBackground) await sleep(Math.min(2 * (performance.now() - startedAt), maxPauseMs))
  }
  await ctx.db.write((tx) => writeAnalysisState(tx, { version: analysisVersion, after: null }))
  return count
}

const unhindered: Pace = { after: 0, chunksPerUnit: 200, isBackground: false }

/** The chunks of one unit: it adds every chunk that it removes, so that searches miss nothing. */
async function listUnit(
  db: Context['db'],
  after: number,
  count: number,
): Promise<readonly ChunkToIndex[]> {
  const chunks = await listChunksAfter(db.read, after, count)
  for (;;) {
    const ids = chunks.map(({ id }) => id)
    const last = ids.at(-1) ?? 0
    const wanted = await searchIndexes[db.engine].lastRemoved(db.read, ids)
    const more = wanted > last ? await listChunksAfter(db.read, last, wanted - last) : []
    const together = more.filter(({ id }) => id <= wanted)
    if (together.length === 0) return chunks
    chunks.push(...together)
  }
}

async function reindex(
  { db }: Pick<Context, 'db'>,
  chunks: readonly ChunkToIndex[],
  after: number,
): Promise<void> {
  const index = searchIndexes[db.engine]
  const analysed = chunks.map((chunk) => ({ ...chunk, ...termsOfChunk(chunk.title, chunk) }))
  const ids = chunks.map(({ id }) => id)
  await db.write(async (tx) => {
    // Sources may have been deleted since the chunks were listed.
    const present = await findChunkIds(tx, ids)
    await index.removeChunks(tx, ids)
    const byDocument = Map.groupBy(
      analysed.filter(({ id }) => present.has(id)),
      ({ document_id: id }) => id,
    )
    for (const own of byDocument.values()) {
      const { id } = await takeCollection(tx, own[0]?.agent_id ?? '')
      await index.add(tx, id, own)
    }
    await writeAnalysisState(tx, { version: analysisVersion, after })
  })
}
