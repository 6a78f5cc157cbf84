import type { Turn, TurnResult } from '#features/turns/index.ts'

/** What stays the same in every part of one answer. */
export interface Completion {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly chatSessionId: string
}

/** The `id` of an answer as OpenAI's are. */
export function completionId(messageId: string): string {
  return `chatcmpl-${messageId.replaceAll('-', '')}`
}

export function completionOf(turn: Turn, model: string, now: number): Completion {
  const id = completionId(turn.messageId)
  return { id, created: Math.floor(now / 1000), model, chatSessionId: turn.sessionId }
}

/** The body of a whole answer: interface, Chat response. */
export function wholeAnswer(completion: Completion, result: TurnResult) {
  const { text, citations, finishReason } = result
  const message = { role: 'assistant', content: text, ...citationsKey(citations) }
  return {
    chatSessionId: completion.chatSessionId,
    id: completion.id,
    object: 'chat.completion',
    created: completion.created,
    model: completion.model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: usageShape(result),
  }
}

/**
 * Writes the chunks of one streamed answer as JSON. What they share is serialised once, so that a
 * chunk of text costs one small JSON.stringify.
 */
export function chunkWriter(completion: Completion, includeUsage: boolean) {
  const { id, created, model, chatSessionId } = completion
  const head = JSON.stringify({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    chatSessionId,
  })
  // With include_usage every chunk but the last says `usage: null` (OpenAI, stream_options).
  const start = `${head.slice(0, -1)},"choices":[{"index":0,"delta":`
  const tail = includeUsage ? ',"usage":null}' : '}'
  return {
    role: () => `${start}{"role":"assistant","content":""},"finish_reason":null}]${tail}`,
    text: (text: string) =>
      `${start}{"content":${JSON.stringify(text)}},"finish_reason":null}]${tail}`,
    finish: ({ finishReason, citations }: TurnResult) => {
      const cited = citations.length === 0 ? '' : `,"citations":${JSON.stringify(citations)}`
      return `${start}{},"finish_reason":${JSON.stringify(finishReason)}}]${cited}${tail}`
    },
    usage: (result: TurnResult) =>
      `${head.slice(0, -1)},"choices":[],"usage":${JSON.stringify(usageShape(result))}}`,
  }
}

export type ChunkWriter = ReturnType<typeof chunkWriter>

function citationsKey(citations: TurnResult['citations']) {
  return citations.length === 0 ? {} : { citations }
}

function usageShape({ usage }: TurnResult) {
  const { promptTokens, completionTokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
