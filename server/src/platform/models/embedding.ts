import type { ModelName } from '#kernel/model-id.ts'
import type { ProviderAccess } from './provider-access.ts'

export interface EmbeddingRequest {
  /** The part of the model id after the provider. */
  readonly model: ModelName
  readonly access: ProviderAccess
  /** At most 64, which every provider accepts in one call; none is empty. */
  readonly texts: readonly string[]
  /** Some models embed questions differently from documents. */
  readonly purpose: 'document' | 'query'
  readonly signal: AbortSignal
}

export interface Embeddings {
  /** In the order of the texts, all of the same length. */
  readonly vectors: readonly Float32Array[]
  /** The provider's own count; null if it reports none. */
  readonly promptTokens: number | null
}
