import type {
  LanguageModelV4FilePart,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { ModelFailure, type ContentPart, type ModelFinish, type ModelMessage } from './model.ts'

export function toPrompt(messages: readonly ModelMessage[]): LanguageModelV4Prompt {
  return messages.map(({ role, content }) => {
    const parts: readonly ContentPart[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (role !== 'system') return { role, content: parts.map(toPart) }
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    return { role, content: text }
  })
}

function toPart(part: ContentPart): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.url) ?? []
  return mediaType === undefined || data === undefined
    ? { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(part.url) } }
    : { type: 'file', mediaType, data: { type: 'data', data } }
}

/** @throws ModelFailure `bad_answer` when the provider says that the answer failed */
export function toFinish(
  { unified, raw }: LanguageModelV4FinishReason,
  usage: LanguageModelV4Usage,
): ModelFinish {
  if (unified === 'error') throw new ModelFailure('bad_answer', `The answer failed: ${raw}.`)
  const promptTokens = usage.inputTokens.total
  const completionTokens = usage.outputTokens.total
  return {
    finishReason: finishReasons[unified],
    usage:
      promptTokens === undefined || completionTokens === undefined
        ? null
        : { promptTokens, completionTokens },
    citedPassages: null,
  }
}

/** The SDK's words in OpenAI's. No tools are offered, so a model that calls one has stopped. */
const finishReasons = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'stop',
  interrupted: 'stop',
  other: 'stop',
} as const satisfies Record<Exclude<LanguageModelV4FinishReason['unified'], 'error'>, string>
