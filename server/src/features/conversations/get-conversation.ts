import { z } from 'zod'
import { costOfMessages } from '#features/credits/index.ts'
import { listActionCalls, type ActionCall } from '#features/tool-calls/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { camelKeys, type CamelKeys } from '#kernel/key-case.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import type { Citation } from '#features/turns/index.ts'
import { callsOfRow, noCalls, type CallsOfMessage } from './caller-calls.ts'
import { ratingOf, type Rating } from './conversation-filter.ts'
import {
  countFitting,
  findConversation,
  findSummaryRow,
  listFeedbackRows,
  listMessageRows,
  type MessageRow,
} from './reading-store.ts'

/** A stored session as people and their tools see it, without its messages. */
export interface Conversation {
  readonly id: string
  readonly appId: string
  readonly appNameId: string
  /** The version of the agent that the conversation began with. */
  readonly appVersion: number
  /** Its channel: `api`, … */
  readonly source: string
  /** The end user that the calling application names. */
  readonly endUser: string | null
  readonly messageCount: number
  readonly createdAt: number
  readonly lastMessageAt: number
}

/** What the model reads in place of the older messages. */
export type ConversationSummary = CamelKeys<NonNullable<Awaited<ReturnType<typeof findSummaryRow>>>>

type MessageColumns = CamelKeys<
  Omit<MessageRow, 'has_parts' | 'citations_json' | 'session_id' | 'calls_json' | 'has_calls'>
>

export interface ConversationMessage extends MessageColumns, CallsOfMessage {
  /** True when the message held more than text, such as images. */
  readonly hasParts: boolean
  readonly citations: readonly Citation[]
  /** The calls made for the answer, in order. */
  readonly actionCalls: readonly ActionCall[]
  /** The user's rating. */
  readonly rating: Rating | null
  readonly comment: string | null
  /** Includes the embeddings and calls made for it; null for a message that is not an answer. */
  readonly costMicros: number | null
}

interface ConversationPage extends Conversation {
  /** Null if its agent sums up nothing, or nothing was left out yet. */
  readonly summary: ConversationSummary | null
  readonly messages: Page<ConversationMessage>
}

/**
 * One conversation with a page of its messages, oldest first. A page of long messages has fewer.
 *
 * @throws Fault record_not_found
 */
export async function getConversation(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  sessionId: string,
  { limit: most, cursor }: PageRequest,
): Promise<ConversationPage> {
  // Lower than any `seq`, whether sessions count from 0 or 1.
  const after = readCursor(cursor, z.int()) ?? -1
  const row = await findConversation(ctx.db.read, workspaceId, sessionId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  const limit = await countFitting(ctx.db.read, sessionId, { limit: most, after })
  const rows = await listMessageRows(ctx.db.read, sessionId, { limit: limit + 1, after })
  const answers = rows.filter(({ role }) => role === 'assistant').map(({ id }) => id)
  const about = await readAbout(ctx, workspaceId, sessionId, answers)
  const calls = await callsBySeq(ctx.db.read, rows)
  const messages = pageOf(rows, limit, {
    key: (message) => message.seq,
    item: (message) => ({
      ...messageFromRow(message, about),
      ...(calls.get(message.seq) ?? noCalls),
    }),
  })
  const summary = await findSummaryRow(ctx.db.read, sessionId)
  return { ...camelKeys(row), summary: summary === undefined ? null : camelKeys(summary), messages }
}

async function callsBySeq(reader: Reader, rows: readonly MessageRow[]) {
  const calls = new Map<number, CallsOfMessage>()
  for (const row of rows) if (row.has_calls === 1) calls.set(row.seq, await callsOfRow(reader, row))
  return calls
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
): Omit<ConversationMessage, keyof CallsOfMessage> {
  const { has_parts, citations_json: citations, session_id: _, ...shown } = row
  const { has_calls: __, calls_json: ___, ...columns } = shown
  const feedback = about.feedback.get(row.id)
  return {
    ...camelKeys(columns),
    hasParts: has_parts === 1,
    // Only a turn writes them, from the same type.
    citations: citations === null ? [] : (JSON.parse(citations) as Citation[]),
    actionCalls: about.calls.get(row.id) ?? [],
    rating: ratingOf(feedback?.rating),
    comment: feedback?.comment ?? null,
    costMicros: row.role === 'assistant' ? (about.costs.get(row.id) ?? 0) : null,
  }
}
