import { getConversation } from '#features/conversations/index.ts'
import { type Turn } from '#features/turns/index.ts'
import { listActionCalls, type ActionCall } from '#features/tool-calls/index.ts'
import { pageOf } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { ShownCall } from './page-answers.ts'

/** How often tool calls are polled during an answer. */
const callsEveryMs = 400

/** A turn may change the tool calls of answers up to this many messages back. */
const messagesBack = 10

export interface WatchedCalls {
  /** The turn, before its first event is read. */
  readonly turn: Turn
  readonly workspaceId: string
  /** Sends the tool calls of the answer so far, and earlier ones that the turn changed. */
  report(calls: readonly ShownCall[]): Promise<void>
}

/**
 * Polls the tool calls of a turn and reports changes. Every call is stored before it is made, so
 * the rows show what the agent is doing. When the user confirms or declines a call, it is made or
 * dropped in the new turn, but its row belongs to the earlier answer that asked.
 */
export async function watchCalls(
  ctx: Context,
  { turn, workspaceId, report }: WatchedCalls,
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
    await report(items)
  }
  let looking: Promise<void> | null = null
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => {
        ctx.log.warn({ err: error }, 'the tool calls of a test chat could not be read')
      })
      .finally(() => {
        looking = null
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
 * The tool calls of earlier answers before the turn. If they cannot be read, the turn continues
 * without them, because its events must be consumed.
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
    ctx.log.warn(
      { err: error, sessionId },
      'the earlier tool calls of a test chat could not be read',
    )
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

/** The cursor of a conversation's messages after a position, counted from 1. */
function cursorAfter(seq: number): string | undefined {
  const rows = [seq, seq + 1]
  return pageOf(rows, 1, { key: (row) => row, item: (row) => row }).nextCursor ?? undefined
}

/** Names each field: the object also holds columns that no page may show. */
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
