import { z } from 'zod'
import { costOfMessages } from '#features/credits/index.ts'
import { listActionCalls, type ActionCall } from '#features/tool-calls/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Citation } from '#features/turns/index.ts'
import { conversationFromRow, type Conversation } from './conversation.ts'
import { ratingOf, type Rating } from './conversation-filter.ts'
import {
  findConversation,
  listFeedbackRows,
  listMessageRows,
  type MessageRow,
} from './reading-store.ts'

export interface ConversationMessage {
  readonly id: string
  /** Its place in the conversation. */
  readonly seq: number
  readonly role: string
  /** All text of the message. */
  readonly content: string
  /** True when the message held more than text, such as images. */
  readonly hasParts: boolean
  readonly model: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly latencyMs: number | null
  readonly firstTokenMs: number | null
  readonly finishReason: string | null
  /** What cut the answer short; null when it is whole. */
  readonly errorCode: string | null
  readonly citations: readonly Citation[]
  /** The calls made for the answer, in order. */
  readonly actionCalls: readonly ActionCall[]
  /** The user's rating. */
  readonly rating: Rating | null
  readonly comment: string | null
  /** With the embeddings and calls made for it; null for a message that is not an answer. */
  readonly costMicros: number | null
  readonly correlationId: string | null
  readonly createdAt: number
}

/**
 * One conversation with a page of its messages, oldest first.
 *
 * @throws Fault record_not_found
 */
export async function getConversation(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  sessionId: string,
  { limit, cursor }: PageRequest,
): Promise<Conversation & { readonly messages: Page<ConversationMessage> }> {
  // Below the first place, wherever a session begins to count.
  const after = readCursor(cursor, z.int()) ?? -1
  const row = await findConversation(ctx.db.read, workspaceId, sessionId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  const rows = await listMessageRows(ctx.db.read, sessionId, { limit: limit + 1, after })
  const answers = rows.filter(({ role }) => role === 'assistant').map(({ id }) => id)
  const about = await readAbout(ctx, workspaceId, sessionId, answers)
  const messages = pageOf(rows, limit, {
    key: (message) => message.seq,
    item: (message) => messageFromRow(message, about),
  })
  return { ...conversationFromRow(row), messages }
}

/** Calls, costs and ratings by the id of the answer. */
async function readAbout(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  sessionId: string,
  answers: readonly string[],
) {
  const reader = ctx.db.read
  const calls = await listActionCalls(ctx, reader, sessionId, answers)
  const costs = await costOfMessages(reader, workspaceId, answers)
  const feedback = answers.length === 0 ? [] : await listFeedbackRows(reader, sessionId, answers)
  return {
    calls: Map.groupBy(calls, ({ messageId }) => messageId),
    costs,
    feedback: new Map(feedback.map((row) => [row.message_id, row])),
  }
}

function messageFromRow(
  row: MessageRow,
  about: Awaited<ReturnType<typeof readAbout>>,
): ConversationMessage {
  const feedback = about.feedback.get(row.id)
  return {
    id: row.id,
    seq: row.seq,
    role: row.role,
    content: row.content,
    hasParts: row.has_parts === 1,
    model: row.model,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    latencyMs: row.latency_ms,
    firstTokenMs: row.first_token_ms,
    finishReason: row.finish_reason,
    errorCode: row.error_code,
    citations: readCitations(row.citations_json),
    actionCalls: about.calls.get(row.id) ?? [],
    rating: ratingOf(feedback?.rating),
    comment: feedback?.comment ?? null,
    costMicros: row.role === 'assistant' ? (about.costs.get(row.id) ?? 0) : null,
    correlationId: row.correlation_id,
    createdAt: row.created_at,
  }
}

function readCitations(json: string | null): readonly Citation[] {
  // Written by this feature alone, from the same type.
  return json === null ? [] : (JSON.parse(json) as Citation[])
}
