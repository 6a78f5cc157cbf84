import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolCallPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import {
  ModelFailure,
  type ContentPart,
  type ModelFinish,
  type ModelMessage,
  type ModelRequest,
  type SpokenMessage,
  type Thought,
  type ToolCall,
  type ToolMessage,
} from '#platform/models/model.ts'
import { argumentsOf } from '#platform/providers/tool-arguments.ts'

/**
 * System messages of later turns join the first one: Google accepts them nowhere else, and Anthropic's
 * older models do not, either. So they keep their rank, which the text of a user would not.
 *
 * @param provider receives what calls and thoughts carry for it
 * @param stable how much is the same in the next turn, for Anthropic: see `ModelRequest`
 */
export function toPrompt(
  messages: readonly ModelMessage[],
  provider: string,
  stable: Pick<ModelRequest, 'stableLength' | 'stableCount'> = {},
): LanguageModelV4Prompt {
  const prompt = toInstructions(messages, stable.stableLength ?? 0)
  for (const [n, message] of messages.entries()) {
    const last = prompt.at(-1)
    if (n === stable.stableCount) markStable(last)
    if (message.role === 'system') continue
    if (message.role !== 'tool') prompt.push(toMessage(message.role, message, provider))
    // Providers expect the results of parallel calls in one message.
    else if (last?.role === 'tool') last.content.push(toResult(message))
    else prompt.push({ role: 'tool', content: [toResult(message)] })
  }
  const last = prompt.at(-1)?.role
  const answersSystem = messages.at(-1)?.role === 'system'
  // Both providers answer a user, and Anthropic would continue the text of an assistant.
  if (answersSystem && last !== 'user' && last !== 'tool')
    prompt.push({ role: 'user', content: [{ type: 'text', text: 'Please continue.' }] })
  return prompt
}

/**
 * Clients resend the same instructions with each turn. Each text is sent once, where it was last given: so
 * the prompt begins the same in every turn, for the cache of the provider.
 */
function toInstructions(
  messages: readonly ModelMessage[],
  stableLength: number,
): LanguageModelV4Prompt {
  const texts = messages.flatMap((message) =>
    message.role === 'system' ? [textOf(message.content)] : [],
  )
  const [first, ...later] = texts
  if (first === undefined) return []
  const once = [...new Set(later.toReversed())].toReversed()
  const others = once.filter((text) => text !== '' && text !== first)
  return [
    ...toSystem(first, stableLength),
    ...others.map((content) => ({ role: 'system' as const, content })),
  ]
}

const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/** The mark of the system prompt counts when there is no conversation before the question. */
function markStable(last: LanguageModelV4Message | undefined): void {
  if (last !== undefined && last.role !== 'system') last.providerOptions = cacheMark
}

/** Anthropic caches the prompt up to a mark, tools included. */
function toSystem(text: string, stableLength: number): LanguageModelV4Prompt {
  const stable = text.slice(0, stableLength)
  if (stable.trim() === '') return [{ role: 'system', content: text }]
  const rest = text.slice(stableLength).trimStart()
  return [
    { role: 'system', content: stable, providerOptions: cacheMark },
    ...(rest === '' ? [] : [{ role: 'system' as const, content: rest }]),
  ]
}

function textOf(content: SpokenMessage['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function toMessage(
  role: 'user' | 'assistant',
  { content, toolCalls = [], thoughts = [] }: SpokenMessage,
  provider: string,
): LanguageModelV4Message {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (role === 'user') return { role, content: parts.map(toPart) }
  // Anthropic refuses an empty text beside a call.
  const said = toolCalls.length > 0 && content === '' ? [] : parts.map(toPart)
  const own = thoughts.filter((thought) => thought.provider === provider)
  const calls = toolCalls.map((call) => toCallPart(call, provider))
  return { role, content: [...own.map(toReasoningPart), ...said, ...calls] }
}

function toReasoningPart({ text, providerData }: Thought): LanguageModelV4ReasoningPart {
  // As in toCallPart.
  return { type: 'reasoning', text, providerOptions: providerData as ProviderOptions }
}

function toCallPart(
  { id, name, arguments: written, providerData, provider }: ToolCall,
  to: string,
) {
  const part: LanguageModelV4ToolCallPart = {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    // Arguments that are no JSON object were answered with an error; the call is sent without them.
    input: argumentsOf(written) ?? {},
  }
  if (providerData === undefined || (provider ?? to) !== to) return part
  // It comes from a tool call of this provider, whose metadata has this type.
  return { ...part, providerOptions: providerData as ProviderOptions }
}

type ProviderOptions = NonNullable<LanguageModelV4ToolCallPart['providerOptions']>

function toResult({ toolCallId, toolName, content }: ToolMessage) {
  const output = { type: 'text' as const, value: content }
  return { type: 'tool-result' as const, toolCallId, toolName, output }
}

/** The call options that offer tools; none without tools. */
export function toTools({
  tools,
  toolChoice,
}: ModelRequest): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> {
  if (tools === undefined || tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      name,
      description,
      inputSchema: parameters,
      ...(strict ? { strict } : {}),
    })),
    toolChoice:
      typeof toolChoice === 'object'
        ? { type: 'tool', toolName: toolChoice.name }
        : { type: toolChoice ?? 'auto' },
  }
}

export function toToolCall(call: LanguageModelV4ToolCall, provider: string): ToolCall {
  const { toolCallId: id, toolName: name, input, providerMetadata } = call
  const toolCall = { id, name, arguments: input }
  if (providerMetadata === undefined) return toolCall
  return { ...toolCall, providerData: providerMetadata, provider }
}

function toPart(part: ContentPart): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'audio') {
    const mediaType = part.format === 'mp3' ? 'audio/mpeg' : 'audio/wav'
    return { type: 'file', mediaType, data: { type: 'data', data: part.data } }
  }
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.url) ?? []
  return mediaType === undefined || data === undefined
    ? { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(part.url) } }
    : { type: 'file', mediaType, data: { type: 'data', data } }
}

/** @throws ModelFailure `bad_answer` when the provider reports that the answer failed */
export function toFinish(
  { unified, raw }: LanguageModelV4FinishReason,
  usage: LanguageModelV4Usage,
  toolCalls: readonly ToolCall[],
  thoughts: readonly Thought[],
): ModelFinish {
  if (unified === 'error') throw new ModelFailure('bad_answer', `The answer failed: ${raw}.`)
  const promptTokens = usage.inputTokens.total
  const completionTokens = usage.outputTokens.total
  const cachedTokens = usage.inputTokens.cacheRead
  const reasoningTokens = usage.outputTokens.reasoning
  return {
    finishReason: toolCalls.length > 0 ? 'tool_calls' : finishReasons[unified],
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(toolCalls.length > 0 && thoughts.length > 0 ? { thoughts } : {}),
    usage:
      promptTokens === undefined || completionTokens === undefined
        ? null
        : {
            promptTokens,
            ...(cachedTokens ? { cachedTokens } : {}),
            completionTokens,
            ...(reasoningTokens ? { reasoningTokens } : {}),
          },
    citedPassages: null,
  }
}

/**
 * The SDK's finish reasons as OpenAI's. A `tool-calls` finish without any call counts as `stop`.
 */
const finishReasons = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'stop',
  interrupted: 'stop',
  other: 'stop',
} as const satisfies Record<Exclude<LanguageModelV4FinishReason['unified'], 'error'>, string>
