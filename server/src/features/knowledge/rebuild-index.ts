import type { Context } from '#platform/context.ts'
import { analyse } from './analyse.ts'
import { searchIndex } from './search-index.ts'
import { listChunksAfter, takeCollection, type ChunkToIndex } from './store.ts'

const chunksPerUnit = 200

/**
 * Makes the full-text index anew from the stored chunks: for a database that came from the other
 * engine, whose index could not come along. May be repeated; searches meanwhile find part of it.
 *
 * @returns how many chunks there are
 */
export async function rebuildIndex(ctx: Pick<Context, 'db'>): Promise<number> {
  const index = searchIndex(ctx.db)
  let count = 0
  for (let after = 0; ;) {
    const chunks = await listChunksAfter(ctx.db.read, after, chunksPerUnit)
    const last = chunks.at(-1)
    if (last === undefined) return count
    for (const [documentId, own] of Map.groupBy(chunks, ({ document_id }) => document_id))
      await ctx.db.write(async (tx) => {
        // The first chunk has the least id of its document: what an earlier round made goes with it.
        if (own.some(({ ordinal }) => ordinal === 0))
          await index.remove(tx, 'document_id', documentId)
        const { id } = await takeCollection(tx, own[0]?.agent_id ?? '')
        await index.add(tx, id, own.map(analysed))
      })
    after = last.id
    count += chunks.length
  }
}

function analysed({ id, title, heading, text }: ChunkToIndex) {
  return { id, headingTerms: [...analyse(title), ...analyse(heading)], bodyTerms: analyse(text) }
}
