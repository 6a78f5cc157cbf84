import type {
  ResponseStatus,
  StoredItem,
  StoredResponse,
  StoredText,
} from '#features/responses/index.ts'
import type { Citation, MessagePart } from '#features/turns/index.ts'
import { splitRefusal } from '#kernel/refusal.ts'
import type { ModelUsage, ToolCall } from '#platform/models/model.ts'
import { messageOfCode } from '#surfaces/chat/fault-table.ts'
import { annotationsOf } from './annotations.ts'
import type { Fields } from './read-response-request.ts'
import { inOwnWords } from './response-error.ts'
import { callItemId, outputItemId, wireId } from './wire-ids.ts'

/** The shapes of Open Responses 2026-04-24. */

/** A streamed event without its number. */
export type Event = readonly [type: string, fields: object]

export interface ResponseState<Item extends object = object> {
  readonly id: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly completedAt?: number | null
  readonly status: ResponseStatus
  /** Why it is incomplete. */
  readonly incomplete?: string | null
  readonly error?: { readonly code: string; readonly message: string } | null
  readonly output: readonly Item[]
  readonly usage?: ModelUsage | null
  /** What it repeats of its request, with the agent's settings. */
  readonly request: Fields
  /** Null if nothing is stored. */
  readonly sessionId: string | null
}

export function responseShape<Item extends object>(state: ResponseState<Item>) {
  const { id, createdAt, completedAt, status, incomplete, error, output, usage, sessionId } = state
  return {
    ...defaults,
    ...state.request,
    id: wireId('response', id),
    object: 'response',
    created_at: Math.floor(createdAt / 1000),
    completed_at: typeof completedAt === 'number' ? Math.floor(completedAt / 1000) : null,
    status,
    incomplete_details: typeof incomplete === 'string' ? { reason: incomplete } : null,
    error: error ?? null,
    output,
    usage: usage ? usageShape(usage) : null,
    store: sessionId !== null,
    conversation: sessionId === null ? null : { id: wireId('conversation', sessionId) },
  }
}

const defaults = {
  previous_response_id: null,
  instructions: null,
  tools: [],
  tool_choice: 'auto',
  truncation: 'auto',
  parallel_tool_calls: true,
  text: { format: { type: 'text' } },
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  reasoning: null,
  max_output_tokens: null,
  max_tool_calls: null,
  background: false,
  service_tier: 'default',
  metadata: {},
  safety_identifier: null,
  prompt_cache_key: null,
}

export function usageShape({
  promptTokens,
  cachedTokens = 0,
  completionTokens,
  reasoningTokens = 0,
}: ModelUsage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** The message of an answer. */
export function answerItem(
  messageId: string,
  status: ItemStatus,
  content: readonly object[],
  phase: Phase = 'final_answer',
) {
  const id = wireId('message', messageId)
  return { type: 'message' as const, id, status, role: 'assistant', phase, content }
}

/** What the model thought before and while it answered, in one or more parts. */
export function reasoningItem(messageId: string, parts: readonly string[]) {
  const id = wireId('reasoning', messageId)
  return { type: 'reasoning' as const, id, summary: parts.map(summaryText) }
}

export function summaryText(text: string) {
  return { type: 'summary_text', text }
}

/** A message with calls of the caller's tools is not the final answer. */
type Phase = 'commentary' | 'final_answer'

/** The `n`th call of the caller's tools in an answer. */
export function callItem(
  messageId: string,
  n: number,
  { id, name, arguments: written }: ToolCall,
  status: ItemStatus = 'completed',
) {
  const item = { id: callItemId(messageId, n), call_id: id, name, arguments: written, status }
  return { type: 'function_call' as const, ...item }
}

/** The items of an answer: its text, unless only calls follow, and its calls. */
export function answerItems(
  messageId: string,
  status: ItemStatus,
  answer: Said & { readonly toolCalls: readonly ToolCall[] },
) {
  const { text, toolCalls: calls } = answer
  const hasCalls = calls.length > 0
  const phase = hasCalls ? 'commentary' : 'final_answer'
  const said =
    hasCalls && text === '' ? [] : [answerItem(messageId, status, contentOf(answer), phase)]
  return [...said, ...calls.map((call, n) => callItem(messageId, n, call))]
}

/** What a model wrote; see `splitRefusal`. */
export interface Said {
  readonly text: string
  readonly refusedFrom: number | null
  readonly citations: readonly Citation[]
}

/** The parts of an answer's message: its text, its refusal, or both. */
export function contentOf({ text, refusedFrom, citations }: Said): ContentPart[] {
  const { said, refusal } = splitRefusal(text, refusedFrom)
  if (refusal === null) return [outputText(said, citations)]
  return [...(said === '' ? [] : [outputText(said, citations)]), refusalPart(refusal)]
}

export type ContentPart = ReturnType<typeof outputText> | ReturnType<typeof refusalPart>

export function refusalPart(refusal: string) {
  return { type: 'refusal' as const, refusal }
}

export function outputText(text: string, citations: readonly Citation[]) {
  const type = 'output_text' as const
  return { type, text, annotations: annotationsOf(text, citations), logprobs: [] }
}

/** A stored item in the official shape. */
export function itemShape(item: StoredItem): { readonly id: string; readonly type: string } {
  const { messageId } = item
  switch (item.type) {
    case 'function_call':
      return callItem(messageId, item.n, item.call)
    case 'function_call_output': {
      const output = { call_id: item.callId, output: item.text, status: 'completed' }
      return { type: item.type, id: outputItemId(messageId), ...output }
    }
    default:
      return messageShape(item)
  }
}

export function messageShape({
  messageId,
  role,
  text,
  parts,
  ...item
}: Omit<StoredText, 'type' | 'seq'>) {
  if (role === 'assistant') {
    const status = item.isComplete ? 'completed' : 'incomplete'
    const phase = item.hasCalls ? 'commentary' : 'final_answer'
    return answerItem(messageId, status, contentOf({ text, ...item }), phase)
  }
  const content = (parts ?? [{ type: 'text', text } as const]).map(inputShape)
  const id = wireId('message', messageId)
  return { type: 'message' as const, id, status: 'completed', role, content }
}

function inputShape(part: MessagePart): object {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return { type: 'input_image', image_url: part.url, detail: 'auto' }
    case 'audio':
      // Audio comes from chat completions; Open Responses has no such part.
      return { type: 'input_text', text: '[Audio]' }
    default:
      return { type: 'input_file', filename: part.name ?? 'file' }
  }
}

/**
 * Whether a background response that continues another one has not begun yet: if somebody else continues
 * that one first, it gets a session of its own.
 */
export function mayBranch({ request, messageId }: StoredResponse): boolean {
  return messageId === null && typeof request.previous_response_id === 'string'
}

/** A response that is read again. */
export function storedShape(response: StoredResponse) {
  const { id, sessionId, createdAt, request, status, reason, answer } = response
  const isWhole = status === 'completed'
  const hasOutput = answer !== null && (isWhole || answer.text !== '')
  // A background response shows what it has streamed.
  const hasThought = answer !== null && answer.reasoning !== '' && !response.isBackground
  const thought = hasThought ? [reasoningItem(answer.messageId, [answer.reasoning])] : []
  const said = hasOutput
    ? answerItems(answer.messageId, isWhole ? 'completed' : 'incomplete', answer)
    : []
  const shape = responseShape({
    id,
    sessionId,
    createdAt,
    completedAt: isWhole && answer !== null ? answer.createdAt : null,
    request,
    status,
    incomplete: status === 'incomplete' ? reason : null,
    error: status === 'failed' ? failureOf(reason) : null,
    output: [...thought, ...said],
    // As the stream of a failed response shows it.
    usage: status === 'failed' ? null : answer,
  })
  return mayBranch(response) ? { ...shape, conversation: null } : shape
}

export function failureOf(code: string | null) {
  const message = inOwnWords(code, messageOfCode(code))
  return { code: code ?? 'internal_error', message }
}
