import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { countAdded } from './append-store.ts'
import { requireConversationRoom, type CallerAgent } from './authenticate-caller.ts'
import { sessionOfId } from './claim-store.ts'
import { asStored, type TranscriptMessage } from './prompt.ts'
import { recoverWithin } from './recover-turns.ts'
import { claimInOrder, mayClaim, sessionReleases } from './session-lease.ts'
import { turnFaults as faults } from './turn-faults.ts'
import { addWithin, messageRows, openWithin } from './turn-store.ts'

type Beginning = {
  readonly agent: Pick<CallerAgent, 'id' | 'workspaceId' | 'version'>
  readonly source: string
  readonly endUser: string | null
  readonly correlationId: string | null
  readonly messages: readonly TranscriptMessage[]
}

/** A step: creates a session that no turn answers in. @returns its id @throws Fault limit_reached */
export async function createSession(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  tx: Tx,
  { agent, source, endUser, correlationId, messages }: Beginning,
): Promise<string> {
  requireConversationRoom(ctx, messages.length)
  const { db, clock } = ctx
  const now = clock.now()
  const id = newId(now)
  const session = {
    id,
    workspace_id: agent.workspaceId,
    agent_id: agent.id,
    agent_version: agent.version,
    source,
    end_user: endUser,
    created_at: now,
    last_message_at: now,
    message_count: messages.length,
    lease_token: null,
    lease_until: 0,
  }
  await openWithin(db, tx, session, messageRows({ correlationId }, id, asStored(messages), 0, now))
  return id
}

interface Addition {
  readonly agentId: string
  readonly sessionId: string
  readonly correlationId: string | null
  readonly messages: readonly TranscriptMessage[]
}

/**
 * Adds messages that no model answers, in order with the turns of the session.
 *
 * @returns the number of the first of them
 * @throws Fault session_unknown, session_queue_full, turn_aborted, limit_reached
 */
export async function appendMessages(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  { agentId, sessionId, correlationId, messages }: Addition,
  signal: AbortSignal,
): Promise<number> {
  const { db, clock } = ctx
  const before = await claimInOrder(ctx, sessionId, signal, async (tx, ticket) => {
    const [session] = await db.prepared(sessionOfId).within(tx, { id: sessionId })
    if (session === undefined || session.agent_id !== agentId)
      throw new Fault(faults.session_unknown)
    const now = clock.now()
    if (!(await mayClaim(db, tx, session, sessionId, ticket, now))) return { claimed: false }
    // A turn that still has its expired lease has died.
    const dead = session.lease_token === null ? [] : await recoverWithin(db, tx, sessionId, now)
    const value = session.message_count + dead.length
    requireConversationRoom(ctx, value + messages.length)
    const rows = messageRows({ correlationId }, sessionId, asStored(messages), value, now)
    await addWithin(db, tx, rows)
    await countAdded(tx, sessionId, { messageCount: value + messages.length, now })
    return { claimed: true, value }
  })
  sessionReleases.emit(sessionId)
  return before + 1
}
