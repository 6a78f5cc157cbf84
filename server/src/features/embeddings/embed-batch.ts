import { findChunkIds } from '#features/full-text/index.ts'
import { reportEmbedding } from '#features/knowledge/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { holdForEmbedding, priceEmbedding } from './book-embedding.ts'
import { embedTexts, type Embedded, type Embedder } from './embed-texts.ts'
import { embeddingFaults } from './embedding-faults.ts'
import { takeSpace, type ChunkToEmbed, type SpaceRow } from './space-store.ts'
import { codeOf } from './vectors/vector-code.ts'
import { vectorIndex } from './vectors/vector-index.ts'

/** One call of the provider and one unit, which takes about twenty milliseconds on SQLite. */
export const chunksPerBatch = 64

/** Shorter texts are not cut further when a model rejects them as too long. */
const shortestCut = 200

export interface Batch {
  readonly agentId: string
  readonly workspaceId: string
  readonly chunks: readonly ChunkToEmbed[]
  /** The percentage of each source that is embedded with this batch. */
  readonly progress: ReadonlyMap<string, number>
}

/**
 * Embeds chunks and stores their vectors. The same unit books the usage. Chunks that were deleted
 * meanwhile are left out.
 *
 * @throws Fault embedding_unavailable, embedding_refused, credits_used_up, credit_cap_reached
 */
export async function embedBatch(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log' | 'models' | 'modelSlots'>,
  embedder: Embedder,
  batch: Batch,
  signal: AbortSignal,
): Promise<SpaceRow> {
  const { agentId, workspaceId, chunks, progress } = batch
  const texts = chunks.map(textToEmbed)
  await using held = new AsyncDisposableStack()
  held.defer(await holdForEmbedding(ctx, embedder.id, { agentId, workspaceId, turn: null }, texts))
  const { vectors, promptTokens } = await embedAll(ctx, embedder, texts, signal)
  const codes = vectors.map(codeOf)
  const dimensions = codes[0]?.length ?? 0
  const bookEmbedding = await priceEmbedding(ctx, embedder.id, promptTokens)
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const space = await takeSpace(tx, now, { agentId, model: embedder.id, dimensions })
    const here = await findChunkIds(
      tx,
      chunks.map(({ id }) => id),
    )
    const stored = chunks.flatMap(({ id }, at) => {
      const code = codes[at]
      return code === undefined || !here.has(id) ? [] : [{ chunkId: id, code }]
    })
    await vectorIndex(ctx.db).add(tx, space.id, stored)
    for (const [sourceId, tokens] of tokensOfSources(chunks, promptTokens))
      await reportEmbedding(tx, sourceId, { progress: progress.get(sourceId) ?? 0, tokens, now })
    // Each chunk is in one batch of a space, so a batch embedded again after a crash is booked once.
    const idempotencyKey = `${space.id}:${chunks[0]?.id ?? 0}`
    await bookEmbedding(tx, { workspaceId, agentId, turn: null, idempotencyKey })
    return space
  })
}

/** With its title and headings: a chunk often does not name its own subject. */
function textToEmbed({ title, heading, text }: ChunkToEmbed): string {
  return [title, heading, text].filter((part) => part !== '').join('\n')
}

/**
 * One call, if the model accepts it. One text that is too long for the model fails the whole call, and
 * only the provider knows its limit. The batch is then tried in halves, and a single text is cut in
 * half.
 */
async function embedAll(
  ctx: Pick<Context, 'models' | 'modelSlots'>,
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Embedded> {
  try {
    return await embedTexts(ctx, embedder, { texts, purpose: 'document', signal })
  } catch (error) {
    const [first = ''] = texts
    const isRefused =
      isFault(error, embeddingFaults.embedding_refused) && error.facts.reason === 'refused_request'
    if (!isRefused || (texts.length === 1 && first.length <= shortestCut)) throw error
    if (texts.length === 1)
      return await embedAll(ctx, embedder, [first.slice(0, first.length / 2)], signal)
    const middle = texts.length >> 1
    const one = await embedAll(ctx, embedder, texts.slice(0, middle), signal)
    const other = await embedAll(ctx, embedder, texts.slice(middle), signal)
    return {
      vectors: [...one.vectors, ...other.vectors],
      promptTokens: one.promptTokens + other.promptTokens,
    }
  }
}

/** Divides the tokens of a batch among its sources in proportion to their chunks. */
function tokensOfSources(
  chunks: readonly ChunkToEmbed[],
  promptTokens: number,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { source_id } of chunks) counts.set(source_id, (counts.get(source_id) ?? 0) + 1)
  let left = promptTokens
  return new Map(
    [...counts].map(([id, count], at) => {
      const isLast = at === counts.size - 1
      const share = isLast ? left : Math.floor((promptTokens * count) / chunks.length)
      left -= share
      return [id, share]
    }),
  )
}
