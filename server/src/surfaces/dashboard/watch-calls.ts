import { getConversation } from '#features/conversations/index.ts'
import { type Turn } from '#features/turns/index.ts'
import { listActionCalls, type ActionCall } from '#features/tool-calls/index.ts'
import { pageOf } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { ShownCall } from './page-answers.ts'

/** How often action calls are polled while an answer is made. */
const callsEveryMs = 400

/** A turn may still change the calls of answers this many messages back. */
const messagesBack = 10

export interface WatchedCalls {
  /** The turn, before its first event is read. */
  readonly turn: Turn
  readonly workspaceId: string
  /** The calls made for the answer so far and those before it that the turn changed. */
  tell(calls: readonly ShownCall[]): Promise<void>
}

/**
 * Polls the action calls of a turn and reports changes. Every call has its row before it is made,
 * so the rows show what the agent is doing. A call that an earlier answer asked the user to confirm
 * is made, or declined, by the turn that answers: its row stays with the earlier answer.
 */
export async function watchCalls(
  ctx: Context,
  { turn, workspaceId, tell }: WatchedCalls,
): Promise<{ end(): Promise<void> }> {
  const before = await earlierCalls(ctx, turn, workspaceId)
  const messageIds = [turn.messageId, ...new Set(before.map(({ messageId }) => messageId))]
  const known = new Map(before.map((call) => [call.id, JSON.stringify(showCall(call))]))
  let shown = ''
  async function look(): Promise<void> {
    const calls = await listActionCalls(ctx, ctx.db.read, turn.sessionId, messageIds)
    const items = calls.map(showCall).filter((call) => known.get(call.id) !== JSON.stringify(call))
    const text = JSON.stringify(items)
    if (items.length === 0 || text === shown) return
    shown = text
    await tell(items)
  }
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    looking = look().catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'the calls of a test chat were not read')
    })
  }, callsEveryMs)
  return {
    async end() {
      clearInterval(timer)
      await looking
      await look()
    },
  }
}

/**
 * Calls of earlier answers as they stand before the turn. When they cannot be read the turn continues
 * without them, because its events have to be consumed.
 */
async function earlierCalls(
  ctx: Context,
  { sessionId, messageId }: Turn,
  workspaceId: string,
): Promise<readonly ActionCall[]> {
  try {
    const messages = await lastMessages(ctx, workspaceId, sessionId)
    return messages.filter(({ id }) => id !== messageId).flatMap(({ actionCalls }) => actionCalls)
  } catch (error) {
    ctx.log.warn({ err: error, sessionId }, 'the earlier calls of a test chat were not read')
    return []
  }
}

async function lastMessages(ctx: Context, workspaceId: string, sessionId: string) {
  const limit = messagesBack
  const first = await getConversation(ctx, workspaceId, sessionId, { limit })
  if (first.messages.nextCursor === null) return first.messages.items
  const cursor = cursorAfter(first.messageCount - limit)
  const last = await getConversation(ctx, workspaceId, sessionId, { limit, cursor })
  return last.messages.items
}

/** The cursor of a conversation's messages after a place, counted from 1. */
function cursorAfter(seq: number): string | undefined {
  const rows = [seq, seq + 1]
  return pageOf(rows, 1, { key: (row) => row, item: (row) => row }).nextCursor ?? undefined
}

function showCall(call: ActionCall): ShownCall {
  return {
    id: call.id,
    kind: call.kind,
    name: call.name,
    title: call.title,
    arguments: call.arguments,
    status: call.status,
    http_status: call.httpStatus,
    error_code: call.errorCode,
    error: call.error,
    duration_ms: call.durationMs,
    response: call.response,
  }
}
