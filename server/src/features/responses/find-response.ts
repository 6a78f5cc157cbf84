import type { Citation } from '#features/turns/index.ts'
import type { ToolCall } from '#platform/models/model.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { responseFaults } from './response-faults.ts'
import { findResponseRow, type FoundResponse, type Place } from './response-store.ts'
import { readStoredCalls } from './stored-item.ts'

export type ResponseStatus =
  | 'queued'
  | 'in_progress'
  | 'completed'
  | 'incomplete'
  | 'failed'
  | 'cancelled'

export interface StoredResponse {
  readonly id: string
  readonly sessionId: string
  readonly createdAt: number
  /** What it repeats of its request. */
  readonly request: Readonly<Record<string, unknown>>
  /** The number of its first input message in the session. */
  readonly firstSeq: number
  /** The id of its answer; null until a background run begins to answer. */
  readonly messageId: string | null
  readonly isBackground: boolean
  readonly status: ResponseStatus
  /** Why it is incomplete or failed. */
  readonly reason: string | null
  /** Null while it is not stored. */
  readonly answer: StoredAnswer | null
}

export interface StoredAnswer {
  readonly messageId: string
  readonly seq: number
  readonly text: string
  /** The id of the model that wrote it. */
  readonly model: string | null
  /** Where in the text the model began to refuse; null if it did not. */
  readonly refusedFrom: number | null
  readonly citations: readonly Citation[]
  /** The model's reasoning, if it is stored. */
  readonly reasoning: string
  /** The calls of the caller's tools that the model waits for. */
  readonly toolCalls: readonly ToolCall[]
  readonly promptTokens: number
  readonly cachedTokens?: number
  readonly completionTokens: number
  readonly reasoningTokens?: number
  readonly createdAt: number
}

/** @throws Fault response_unknown: no response of this agent has the id */
export async function findResponse(
  ctx: Pick<Context, 'db' | 'clock'>,
  place: Place,
  id: string,
): Promise<StoredResponse> {
  const row = await findResponseRow(ctx.db.read, place, id)
  if (row === undefined) throw new Fault(responseFaults.response_unknown)
  return responseOf(row, ctx.clock.now())
}

export function responseOf(row: FoundResponse, now: number): StoredResponse {
  return {
    id: row.id,
    sessionId: row.session_id,
    createdAt: row.created_at,
    // Only this feature writes it, from an object.
    request: JSON.parse(row.request_json) as Record<string, unknown>,
    firstSeq: row.first_seq,
    messageId: row.message_id,
    isBackground: row.status !== 'direct',
    answer: answerOf(row),
    ...statusOf(row, now),
  }
}

function answerOf(row: FoundResponse): StoredAnswer | null {
  const { message_id: messageId, seq, content, answered_at: createdAt } = row
  if (messageId === null || seq === null || content === null || createdAt === null) return null
  const { toolCalls = [], refusedFrom = null } = readStoredCalls(row.calls_json)
  return {
    messageId,
    seq,
    text: content,
    model: row.model,
    refusedFrom,
    // Only a turn writes them, from the same type.
    reasoning: row.reasoning ?? '',
    citations: row.citations_json === null ? [] : (JSON.parse(row.citations_json) as Citation[]),
    toolCalls,
    promptTokens: row.prompt_tokens ?? 0,
    ...(row.cached_tokens === null ? {} : { cachedTokens: row.cached_tokens }),
    completionTokens: row.completion_tokens ?? 0,
    ...(row.reasoning_tokens === null ? {} : { reasoningTokens: row.reasoning_tokens }),
    createdAt,
  }
}

/** Errors of an answer that was cut off from outside: its text is right as far as it is there. */
const cutOff: ReadonlySet<string> = new Set(['turn_aborted', 'interrupted'])

function statusOf(row: FoundResponse, now: number): Pick<StoredResponse, 'status' | 'reason'> {
  const { status, error_code: error, answer_error: answerError } = row
  if (status === 'queued' || status === 'cancelled') return { status, reason: null }
  if (status === 'running') return { status: 'in_progress', reason: null }
  if (error !== null) return { status: 'failed', reason: error }
  if (row.seq === null) {
    const isRunning = row.lease_token !== null && row.lease_until > now
    return isRunning
      ? { status: 'in_progress', reason: null }
      : { status: 'failed', reason: 'interrupted' }
  }
  if (answerError !== null)
    return { status: cutOff.has(answerError) ? 'incomplete' : 'failed', reason: answerError }
  return endOf(row.finish_reason)
}

/** How an answer ended that the model finished. */
export function endOf(finishReason: string | null): Pick<StoredResponse, 'status' | 'reason'> {
  switch (finishReason) {
    case 'length':
      return { status: 'incomplete', reason: 'max_output_tokens' }
    case 'content_filter':
      return { status: 'incomplete', reason: 'content_filter' }
    default:
      return { status: 'completed', reason: null }
  }
}
