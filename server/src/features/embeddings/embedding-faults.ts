import { defineFaults, withFacts } from '#kernel/fault.ts'
import type { ModelFailureReason } from '#platform/models/model.ts'

/** `retry_after_seconds` is present where the provider names a time. */
type EmbeddingFailure = {
  readonly reason: ModelFailureReason
  readonly retry_after_seconds?: number
}

export const embeddingFaults = defineFaults({
  embedding_unavailable: withFacts<EmbeddingFailure>('unavailable'),
  /** A retry does not help: the key, the model's name or its answers are wrong. */
  embedding_refused: withFacts<EmbeddingFailure>('invalid'),
})
