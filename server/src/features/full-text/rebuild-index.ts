import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '#platform/context.ts'
import { findChunkIds, writeAnalysisState } from './analysis-store.ts'
import { analysisVersion, termsOfChunk } from '#features/text-analysis/index.ts'
import { searchIndexes } from './search-index.ts'
import { listChunksAfter, takeCollection, type ChunkToIndex } from './chunk-store.ts'

interface Pace {
  /** The last chunk that needs no indexing; 0 for none. */
  readonly after: number
  readonly chunksPerUnit: number
  /** Whether others are to be let in between. */
  readonly isBackground: boolean
  readonly signal?: AbortSignal
}

const maxPauseMs = 100

/**
 * Makes the full-text index anew from the stored chunks, each taking the place of what the index had of
 * it: for a database that came from the other engine, whose index could not come along, and for one
 * whose terms were made otherwise. What was done is known to it, so it can be gone on with.
 *
 * @returns how many chunks it indexed
 */
export async function rebuildIndex(
  ctx: Pick<Context, 'db'>,
  { after, chunksPerUnit, isBackground, signal }: Pace = unhindered,
): Promise<number> {
  let [count, done] = [0, after]
  for (;;) {
    signal?.throwIfAborted()
    const startedAt = performance.now()
    const chunks = await listUnit(ctx.db, done, chunksPerUnit)
    const last = chunks.at(-1)
    if (last === undefined) break
    await indexAnew(ctx, chunks, last.id)
    done = last.id
    count += chunks.length
    if (isBackground) await sleep(Math.min(2 * (performance.now() - startedAt), maxPauseMs))
  }
  await ctx.db.write((tx) => writeAnalysisState(tx, { version: analysisVersion, after: null }))
  return count
}

const unhindered: Pace = { after: 0, chunksPerUnit: 200, isBackground: false }

/** What one unit makes anew: whatever it takes out it adds again, so that searches miss nothing. */
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

async function indexAnew(
  { db }: Pick<Context, 'db'>,
  chunks: readonly ChunkToIndex[],
  after: number,
): Promise<void> {
  const index = searchIndexes[db.engine]
  const analysed = chunks.map((chunk) => ({ ...chunk, ...termsOfChunk(chunk.title, chunk) }))
  const ids = chunks.map(({ id }) => id)
  await db.write(async (tx) => {
    // Their source may have been deleted since they were listed.
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
