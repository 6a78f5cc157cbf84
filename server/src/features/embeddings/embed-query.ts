import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { holdForEmbedding, priceEmbedding, type BookedTurn } from './book-embedding.ts'
import { embedTexts, reachModel, type Embedder, type EmbeddingPorts } from './embed-texts.ts'
import { findServingSpace } from './space-store.ts'
import { codeOf } from './vectors/vector-code.ts'
import { vectorIndex } from './vectors/vector-index.ts'

/** Only the beginning of a question is embedded: models accept no more, and meaning gets diluted. */
const maxQueryCharacters = 4_000

export type QueryPorts = EmbeddingPorts & Pick<Context, 'clock' | 'log'>

/** Why a search did not use vectors. The word is part of answers. */
export type WithoutVectors =
  /** Nothing of the agent is embedded yet. */
  | 'not_embedded'
  /** The workspace cannot reach the model's provider, or the database cannot search vectors. */
  | 'not_configured'
  /** The provider failed, timed out, or the workspace has no credits for it. */
  | 'embedding_failed'

export interface Questioner {
  readonly agentId: string
  readonly workspaceId: string
  /** The chat turn that the embedding is booked to. */
  readonly turn?: BookedTurn | null
  readonly signal?: AbortSignal | undefined
}

export interface EmbeddedQuery {
  readonly spaceId: number
  readonly code: Uint8Array
}

/**
 * Embeds a question for the space that the agent's searches use.
 *
 * @returns the reason if there is no vector; the search then uses full text alone
 * @throws only the reason of the caller's signal
 */
export async function embedQuery(
  ctx: QueryPorts,
  of: Questioner,
  query: string,
): Promise<EmbeddedQuery | WithoutVectors> {
  const text = query.slice(0, maxQueryCharacters).trim()
  const space = await findServingSpace(ctx.db.read, of.agentId)
  if (space === undefined || text === '') return 'not_embedded'
  const embedder = await reachModel(ctx, of.workspaceId, space.model)
  const isAvailable = await vectorIndex(ctx.db).isAvailable(ctx.db.read)
  if (embedder === null || !isAvailable) return 'not_configured'
  try {
    const vector = await embedText(ctx, of, embedder, text)
    const { length } = vector
    if (length !== space.dimensions)
      throw new Error(`the model returned ${length} dimensions instead of ${space.dimensions}`)
    return { spaceId: space.id, code: codeOf(vector) }
  } catch (error) {
    of.signal?.throwIfAborted()
    const { agentId } = of
    ctx.log.warn({ err: error, agentId, model: space.model }, 'searched by full text alone')
    return 'embedding_failed'
  }
}

async function embedText(
  ctx: QueryPorts,
  { agentId, workspaceId, turn = null, signal: cancel }: Questioner,
  embedder: Embedder,
  text: string,
): Promise<Float32Array> {
  const timeout = AbortSignal.timeout(ctx.config.embeddingQueryTimeoutMs)
  const signal = cancel === undefined ? timeout : AbortSignal.any([cancel, timeout])
  const use = { workspaceId, agentId, turn, idempotencyKey: newId(ctx.clock.now()) }
  await using held = new AsyncDisposableStack()
  held.defer(await holdForEmbedding(ctx, embedder.id, use, [text]))
  const request = { texts: [text], purpose: 'query', signal } as const
  const { vectors, promptTokens } = await embedTexts(ctx, embedder, request)
  // Booked even if the turn fails later: the provider has charged for it.
  const bookEmbedding = await priceEmbedding(ctx, embedder.id, promptTokens)
  await ctx.db.write((tx) => bookEmbedding(tx, use))
  const [vector] = vectors
  if (vector === undefined) throw new Error('the model returned no vector')
  return vector
}
