import type { ResponseStatus, StoredItem, StoredResponse } from '#features/responses/index.ts'
import type { Citation } from '#features/turns/index.ts'
import type { ModelUsage } from '#platform/models/model.ts'
import { messageOfCode } from './fault-table.ts'
import { annotationsOf } from './annotations.ts'
import type { Fields } from './read-response-request.ts'
import { wireId } from './wire-ids.ts'

/** The shapes of Open Responses 2026-04-24. */

export interface ResponseState {
  readonly id: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly completedAt?: number | null
  readonly status: ResponseStatus
  /** Why it is incomplete. */
  readonly incomplete?: string | null
  readonly error?: { readonly code: string; readonly message: string } | null
  readonly output: readonly object[]
  readonly usage?: ModelUsage | null
  /** What it repeats of its request, with the agent's settings. */
  readonly request: Fields
  /** Null if nothing is stored. */
  readonly sessionId: string | null
}

export function responseShape(state: ResponseState) {
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

export function usageShape({ promptTokens, cachedTokens = 0, completionTokens }: ModelUsage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + completionTokens,
  }
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** The message of an answer. */
export function answerItem(
  messageId: string,
  status: ItemStatus,
  content: readonly object[],
): object {
  const id = wireId('message', messageId)
  return { type: 'message', id, status, role: 'assistant', phase: 'final_answer', content }
}

export function outputText(text: string, citations: readonly Citation[]) {
  return { type: 'output_text', text, annotations: annotationsOf(text, citations), logprobs: [] }
}

/** A stored message as an item. */
export function itemShape(item: StoredItem): object {
  const { id, role, text, parts, citations, isComplete } = item
  if (role === 'assistant')
    return answerItem(id, isComplete ? 'completed' : 'incomplete', [outputText(text, citations)])
  const content = (parts ?? [{ type: 'text', text } as const]).map((part) =>
    part.type === 'image'
      ? { type: 'input_image', image_url: part.url, detail: 'auto' }
      : { type: 'input_text', text: part.text },
  )
  return { type: 'message', id: wireId('message', id), status: 'completed', role, content }
}

/** A response that is read again. */
export function storedShape(response: StoredResponse) {
  const { id, sessionId, createdAt, request, status, reason, answer } = response
  const isWhole = status === 'completed'
  const hasText = answer !== null && (isWhole || answer.text !== '')
  return responseShape({
    id,
    sessionId,
    createdAt,
    completedAt: isWhole && answer !== null ? answer.createdAt : null,
    request,
    status,
    incomplete: status === 'incomplete' ? reason : null,
    error: status === 'failed' ? failureOf(reason) : null,
    output: hasText
      ? [
          answerItem(answer.messageId, isWhole ? 'completed' : 'incomplete', [
            outputText(answer.text, answer.citations),
          ]),
        ]
      : [],
    usage: answer,
  })
}

function failureOf(code: string | null) {
  return { code: code ?? 'internal_error', message: messageOfCode(code) }
}
