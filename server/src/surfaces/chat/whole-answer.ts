import type { TurnResult } from '#features/turns/index.ts'
import { splitRefusal } from '#kernel/refusal.ts'
import { wireCall } from './write-calls.ts'

/** The fields that all parts of an answer share. */
export interface Completion {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly chatSessionId: string
}

/** The body of an answer that is not streamed (interface: Chat response). */
export function wholeAnswer(
  { chatSessionId, id, created, model }: Completion,
  result: TurnResult,
  reasoning: string,
) {
  const { citations, finishReason, toolCalls } = result
  const { said, refusal } = splitRefusal(result.text, result.refusedFrom)
  const more = {
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(citations.length === 0 ? {} : { citations }),
  }
  const isText = refusal === null && toolCalls.length === 0
  const message = {
    role: 'assistant',
    content: isText ? said : said || null,
    ...(refusal === null ? {} : { refusal }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(wireCall) }),
    ...more,
  }
  return {
    chatSessionId,
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: usageShape(result),
  }
}

export function usageShape({ usage }: TurnResult) {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cachedTokens === undefined
      ? {}
      : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}
