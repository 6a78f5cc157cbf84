import { JsonProblem, parseBoundedJson } from '#kernel/json.ts'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import { splitRefusal } from '#kernel/refusal.ts'
import {
  ModelFailure,
  type ContentPart,
  type ModelAnswer,
  type ModelFinish,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
} from '#platform/models/model.ts'
import { wireSampling } from './openai-fields.ts'
import { readWireCalls, record, wireCall, wireTools, type WireCall } from './openai-tools.ts'

/** The parts of OpenAI's chat completions format that are sent and read here. */

/** The request body. `stream` asks for events with a usage chunk at their end. */
export function requestBody(request: ModelRequest, stream: boolean): string {
  const { model, access, temperature, maxOutputTokens } = request
  return JSON.stringify({
    model,
    messages: request.messages.map((message) => wireMessage(message, access.provider)),
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { [limitField(model)]: maxOutputTokens }),
    ...wireSampling(request),
    ...wireTools(request),
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  })
}

/**
 * OpenAI's reasoning models refuse `max_tokens`; servers that copy OpenAI's older interface know only
 * that name.
 */
function limitField(model: string): 'max_tokens' | 'max_completion_tokens' {
  return /(^|\/)(o\d|gpt-5)/.test(model) ? 'max_completion_tokens' : 'max_tokens'
}

function wireMessage(message: ModelMessage, provider: string): unknown {
  const { role, content } = message
  if (role === 'tool') return { role, tool_call_id: message.toolCallId, content }
  if (message.toolCalls !== undefined)
    return {
      role,
      content: content === '' ? null : content,
      tool_calls: message.toolCalls.map((call) => wireCall(call, provider)),
    }
  // Other servers may not know the field, and would read an empty message. The text says it, too.
  if (message.refusedFrom !== undefined && typeof content === 'string' && provider === 'openai') {
    const { said, refusal } = splitRefusal(content, message.refusedFrom)
    return { role, content: said === '' ? null : said, refusal }
  }
  if (typeof content === 'string') return { role, content }
  return { role, content: content.map(wirePart) }
}

function wirePart(part: ContentPart): unknown {
  switch (part.type) {
    case 'text':
      return part
    case 'image':
      return { type: 'image_url', image_url: { url: part.url } }
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } }
  }
}

export type WireAnswer = Omit<ModelAnswer, 'citedPassages'>

/** Of a whole answer. Most are one long text; a call's arguments can be an object with many values. */
const maxCompletionValues = 200_000

/** @throws ModelFailure `bad_answer` when the body is not a completion */
export async function readCompletion(body: string): Promise<WireAnswer> {
  const completion = await parseBody(body)
  const choice = firstChoice(completion)
  const message = choice === null ? null : record(choice.message)
  if (choice === null || message === null) throw badAnswer('no choice with a message', body)
  const reasoning = reasoningOf(message)
  const refusal = refusalOf(message)
  return {
    text: textOf(message),
    ...(refusal === '' ? {} : { refusal }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...finishOf(finishReasonOf(choice.finish_reason), readWireCalls(message)),
    usage: usageOf(completion.usage),
  }
}

/** A model that calls tools has not stopped, whatever finish reason its server sends. */
export function finishOf(
  finishReason: string | null,
  calls: readonly WireCall[],
): Pick<ModelFinish, 'finishReason' | 'toolCalls'> {
  if (calls.length === 0) return { finishReason: finishReason ?? 'stop' }
  const toolCalls = calls.map(({ id, name, arguments: written, providerData }, index) => ({
    id: id ?? `call_${index}`,
    name,
    arguments: written,
    ...(providerData === undefined ? {} : { providerData }),
  }))
  return { finishReason: 'tool_calls', toolCalls }
}

export interface WireChunk {
  readonly text: string
  readonly refusal: string
  readonly reasoning: string
  /** Pieces of tool calls, assembled by their index. */
  readonly calls: readonly WireCall[]
  /** Null until the answer ends. */
  readonly finishReason: string | null
  /** Null except in the chunk that carries it. */
  readonly usage: ModelUsage | null
}

/** @throws ModelFailure `bad_answer` when the event is not a chunk, or reports an error */
export function readChunk(data: string): WireChunk {
  const chunk = parseChunk(data)
  const choice = firstChoice(chunk)
  const delta = choice === null ? null : record(choice.delta)
  return {
    text: delta === null ? '' : textOf(delta),
    refusal: delta === null ? '' : refusalOf(delta),
    reasoning: delta === null ? '' : reasoningOf(delta),
    calls: readWireCalls(delta),
    finishReason: choice === null ? null : finishReasonOf(choice.finish_reason),
    usage: usageOf(chunk.usage),
  }
}

function parseChunk(json: string): Record<string, unknown> {
  try {
    return requireObject(json, parseBoundedJson(json))
  } catch (error) {
    throw asBadAnswer(json, error)
  }
}

async function parseBody(json: string): Promise<Record<string, unknown>> {
  try {
    return requireObject(json, await parseJsonInSlices(json, maxCompletionValues))
  } catch (error) {
    throw asBadAnswer(json, error)
  }
}

function asBadAnswer(json: string, error: unknown): unknown {
  if (error instanceof JsonProblem) return badAnswer(`JSON that is ${error.reason}`, json, error)
  return error instanceof SyntaxError ? badAnswer('not JSON', json, error) : error
}

function requireObject(json: string, value: unknown): Record<string, unknown> {
  const object = record(value)
  if (object === null) throw badAnswer('not an object', json)
  if (object.error !== undefined && object.error !== null) throw badAnswer('an error', json)
  return object
}

/** The first choice: a server may be configured to send more, each with its index. */
function firstChoice(object: Record<string, unknown>): Record<string, unknown> | null {
  if (!Array.isArray(object.choices)) return null
  for (const value of object.choices) {
    const choice = record(value)
    // Some servers leave the index out.
    if (choice !== null && (choice.index === 0 || typeof choice.index !== 'number')) return choice
  }
  return null
}

/** Content is a string, null, or parts. */
function textOf({ content }: Record<string, unknown>): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => stringIn(part, 'text')).join('') : ''
}

/** A field of its own, or parts of the content. */
function refusalOf({ content, refusal }: Record<string, unknown>): string {
  if (typeof refusal === 'string') return refusal
  return Array.isArray(content) ? content.map((part) => stringIn(part, 'refusal')).join('') : ''
}

/** OpenAI's own API keeps it. The name is DeepSeek's and vLLM's, the other one OpenRouter's and Ollama's. */
function reasoningOf({ reasoning_content: content, reasoning }: Record<string, unknown>): string {
  if (typeof content === 'string') return content
  return typeof reasoning === 'string' ? reasoning : ''
}

function stringIn(part: unknown, field: string): string {
  const value = record(part)?.[field]
  return typeof value === 'string' ? value : ''
}

/** OpenAI's words; any other word of a server counts as `stop`. */
function finishReasonOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  if (value === 'max_tokens') return 'length'
  return value === 'length' || value === 'content_filter' ? value : 'stop'
}

function usageOf(value: unknown): ModelUsage | null {
  const usage = record(value)
  if (usage === null) return null
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage
  if (!isCount(promptTokens) || !isCount(completionTokens)) return null
  const cached = record(usage.prompt_tokens_details)?.cached_tokens
  const thought = record(usage.completion_tokens_details)?.reasoning_tokens
  return {
    promptTokens,
    ...(isCount(cached) && cached > 0 ? { cachedTokens: Math.min(cached, promptTokens) } : {}),
    completionTokens,
    ...(isCount(thought) && thought > 0
      ? { reasoningTokens: Math.min(thought, completionTokens) }
      : {}),
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function badAnswer(problem: string, body: string, cause?: unknown): ModelFailure {
  return new ModelFailure('bad_answer', `The provider sent ${problem}: ${body.slice(0, 300)}`, {
    cause,
  })
}
