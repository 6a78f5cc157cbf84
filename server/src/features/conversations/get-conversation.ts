import { z } from 'zod'
import { listActionCalls, type ActionCall } from '#features/actions/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Citation } from './citations.ts'
import { conversationFromRow, type Conversation } from './conversation.ts'
import {
  findConversation,
  findConversationWorkspace,
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
  /** What the answer did on its way, in the order in which it was done. */
  readonly actionCalls: readonly ActionCall[]
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
  const calls = await listActionCalls(ctx, ctx.db.read, sessionId, answers)
  const callsOf = Map.groupBy(calls, ({ messageId }) => messageId)
  const messages = pageOf(rows, limit, {
    key: (message) => message.seq,
    item: (message) => messageFromRow(message, callsOf.get(message.id) ?? []),
  })
  return { ...conversationFromRow(row), messages }
}

/** The workspace of a conversation; undefined when there is none by that id. */
export function conversationWorkspace(
  ctx: Pick<Context, 'db'>,
  sessionId: string,
): Promise<string | undefined> {
  return findConversationWorkspace(ctx.db.read, sessionId)
}

function messageFromRow(row: MessageRow, actionCalls: readonly ActionCall[]): ConversationMessage {
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
    actionCalls,
    correlationId: row.correlation_id,
    createdAt: row.created_at,
  }
}

function readCitations(json: string | null): readonly Citation[] {
  // Written by this feature alone, from the same type.
  return json === null ? [] : (JSON.parse(json) as Citation[])
}
