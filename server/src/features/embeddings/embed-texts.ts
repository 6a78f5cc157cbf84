import { resolveProvider } from '#features/providers/index.ts'
import { parseModelId, type ModelName } from '#kernel/model-id.ts'
import { estimateTokens } from '#features/text-analysis/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import type { EmbeddingRequest } from '#platform/models/embedding.ts'
import type { ModelFailure, ProviderAccess } from '#platform/models/model.ts'
import { embeddingFaults } from './embedding-faults.ts'
import { vectorIndex } from './vectors/vector-index.ts'

export type EmbeddingPorts = Pick<Context, 'db' | 'config' | 'models' | 'modelSlots' | 'vault'>

/** An embedding model and a workspace's access to it. */
export interface Embedder {
  /** `<provider>/<model>` */
  readonly id: string
  readonly model: ModelName
  readonly access: ProviderAccess
  /** Whose share of the model calls it uses. */
  readonly workspaceId: string
}

export interface Embedded {
  readonly vectors: readonly Float32Array[]
  /** As counted by the provider, or an estimate. */
  readonly promptTokens: number
}

/**
 * The model that embeds the knowledge of a workspace's agents.
 *
 * @returns null if searches use full text alone: no model is configured, the workspace cannot reach
 *   its provider, or the database cannot search vectors
 */
export async function embedderOf(
  ctx: EmbeddingPorts,
  workspaceId: string,
): Promise<Embedder | null> {
  const { embeddingModel } = ctx.config
  if (embeddingModel === undefined) return null
  if (!(await vectorIndex(ctx.db).isAvailable(ctx.db.read))) return null
  return await reachModel(ctx, workspaceId, embeddingModel)
}

/** @returns null if the id is not valid or the workspace cannot reach its provider */
export async function reachModel(
  ctx: EmbeddingPorts,
  workspaceId: string,
  id: string,
): Promise<Embedder | null> {
  const parsed = parseModelId(ctx.config, id)
  if (parsed === null) return null
  const access = await resolveProvider(ctx, workspaceId, parsed.provider)
  return access === null ? null : { id: parsed.id, model: parsed.model, access, workspaceId }
}

/**
 * One call of an embedding model, in a slot of the workspace unless the model is built in.
 *
 * @throws Fault embedding_unavailable, embedding_refused; the signal's reason when it aborts
 */
export async function embedTexts(
  { models, modelSlots }: Pick<Context, 'models' | 'modelSlots'>,
  { model, access, workspaceId }: Embedder,
  request: Pick<EmbeddingRequest, 'texts' | 'purpose' | 'signal'>,
): Promise<Embedded> {
  const isBuiltIn = access.baseUrl === null
  try {
    const release = isBuiltIn ? null : await modelSlots.acquire(workspaceId, request.signal)
    try {
      const { vectors, promptTokens } = await models.embed({ model, access, ...request })
      return { vectors, promptTokens: promptTokens ?? estimateOf(request.texts) }
    } finally {
      release?.()
    }
  } catch (error) {
    throw asEmbeddingFault(error)
  }
}

function asEmbeddingFault(error: unknown): unknown {
  if (isNamed<Error>(error, 'SlotsBusy'))
    return new Fault(embeddingFaults.embedding_unavailable, { reason: 'limited' }, { cause: error })
  if (!isNamed<ModelFailure>(error, 'ModelFailure')) return error
  const { reason, retryAfterSeconds } = error
  const passes = reason === 'unreachable' || reason === 'timeout' || reason === 'limited'
  const code = passes ? embeddingFaults.embedding_unavailable : embeddingFaults.embedding_refused
  const wait = retryAfterSeconds === null ? {} : { retry_after_seconds: retryAfterSeconds }
  return new Fault(code, { reason, ...wait }, { cause: error })
}

function estimateOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0)
}
