import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { holdForEmbedding, priceEmbedding, type BookedTurn } from './book-embedding.ts'
import { embedTexts, reachModel, type Embedder, type EmbeddingPorts } from './embed-texts.ts'
import { findServingSpace, type SpaceRow } from './space-store.ts'
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
    return await ask(ctx, of, { text, embedder, space })
  } catch (error) {
    of.signal?.throwIfAborted()
    const { agentId } = of
    ctx.log.warn({ err: error, agentId, model: space.model }, 'searched by full text alone')
    return 'embedding_failed'
  }
}

interface Asked {
  readonly text: string
  readonly embedder: Embedder
  readonly space: SpaceRow
}

async function ask(
  ctx: QueryPorts,
  of: Questioner,
  { text, embedder, space }: Asked,
): Promise<EmbeddedQuery> {
  const patience = AbortSignal.timeout(ctx.config.embeddingQueryTimeoutMs)
  const signal = of.signal === undefined ? patience : AbortSignal.any([of.signal, patience])
  const request = { texts: [text], purpose: 'query', signal } as const
  const release = await holdForEmbedding(ctx, embedder.id, { ...of, turn: of.turn ?? null }, [text])
  let vector: Float32Array | undefined
  try {
    const { vectors, promptTokens } = await embedTexts(ctx, embedder, request)
    await book(ctx, of, embedder.id, promptTokens)
    vector = vectors[0]
  } finally {
    await release()
  }
  if (vector?.length !== space.dimensions)
    throw new Fault(
      { code: 'embedding_refused', kind: 'invalid' },
      { reason: `${vector?.length ?? 0} dimensions instead of ${space.dimensions}` },
    )
  return { spaceId: space.id, code: codeOf(vector) }
}

/** Booked even if the turn fails later: the provider has charged for it. */
async function book(
  ctx: QueryPorts,
  { agentId, workspaceId, turn = null }: Questioner,
  model: string,
  promptTokens: number,
): Promise<void> {
  const bookEmbedding = await priceEmbedding(ctx, model, promptTokens)
  const use = { workspaceId, agentId, turn, idempotencyKey: newId(ctx.clock.now()) }
  await ctx.db.write((tx) => bookEmbedding(tx, use))
}
