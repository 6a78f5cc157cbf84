import { defineFaults } from '#kernel/fault.ts'

export const embeddingFaults = defineFaults({
  /** Facts: `reason`, a ModelFailureReason; `retry_after_seconds` where the provider asks for it. */
  embedding_unavailable: 'unavailable',
  /** Facts as above. Asking again is no help: the key, the model's name or its answers are wrong. */
  embedding_refused: 'invalid',
})
