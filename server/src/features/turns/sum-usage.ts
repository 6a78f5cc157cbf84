import type { ModelUsage } from '#platform/models/model.ts'

/** The usage of two calls of models. */
export function sumOf(one: ModelUsage, other: ModelUsage): ModelUsage {
  const cachedTokens = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0)
  const reasoningTokens = (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0)
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    ...(cachedTokens === 0 ? {} : { cachedTokens }),
    completionTokens: one.completionTokens + other.completionTokens,
    ...(reasoningTokens === 0 ? {} : { reasoningTokens }),
  }
}
