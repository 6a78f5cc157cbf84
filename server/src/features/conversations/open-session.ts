import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { ContentPart } from '#platform/models/model.ts'
import type { CallerAgent } from './authenticate-caller.ts'
import { conversationFaults as faults } from './faults.ts'
import { claimInOrder, leaseMs, mayClaim, type Claim } from './session-lease.ts'
import * as store from './store.ts'
import { storeOpening } from './turn-store.ts'
import { dropResentBeginning, type MessageRole, type TranscriptMessage } from './transcript.ts'

export interface SessionRequest {
  readonly agent: CallerAgent
  readonly source: string
  /** Null starts a new session. */
  readonly sessionId: string | null
  readonly messages: readonly TranscriptMessage[]
  readonly store: boolean
  readonly endUser: string | null
  readonly correlationId: string | null
}

/** A session that this turn may answer in. */
export interface OpenSession {
  readonly id: string
  /** Null when nothing is stored, and so nothing is held. */
  readonly leaseToken: string | null
  /** Stored messages and the new ones: what the model is to answer. */
  readonly transcript: readonly TranscriptMessage[]
}

type SessionContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

/**
 * Finds or starts the session, waits for its turn, and stores what the user said.
 *
 * @throws Fault session_unknown (the id is another agent's), session_queue_full, turn_aborted
 */
export async function openSession(
  ctx: SessionContext,
  request: SessionRequest,
  signal: AbortSignal,
): Promise<OpenSession> {
  if (!request.store) return await readUnstored(ctx, request)
  if (request.sessionId === null) return await startSession(ctx, request)
  const { sessionId } = request
  return await claimInOrder(ctx, sessionId, signal, (tx, ticket) =>
    claimSession(tx, ctx, request, sessionId, ticket),
  )
}

async function startSession(ctx: SessionContext, request: SessionRequest): Promise<OpenSession> {
  const { opened, session, messages } = opening(ctx, request, newId(ctx.clock.now()))
  await storeOpening(ctx.db, session, messages)
  return opened
}

async function claimSession(
  tx: Tx,
  ctx: SessionContext,
  request: SessionRequest,
  id: string,
  ticket: string | null,
): Promise<Claim<OpenSession>> {
  const session = await store.findSession(tx, id)
  if (session === undefined) {
    const { opened, session: row, messages } = opening(ctx, request, id)
    await store.insertSession(tx, row)
    await store.insertMessages(tx, messages)
    return { claimed: true, value: opened }
  }
  if (session.agent_id !== request.agent.id) throw new Fault(faults.session_unknown)
  const now = ctx.clock.now()
  if (!(await mayClaim(tx, session, id, ticket, now))) return { claimed: false }
  const stored = await loadTranscript(tx, ctx, request, id)
  const fresh = freshMessages(stored, session.message_count, request.messages)
  const messageCount = session.message_count + fresh.length
  const leaseToken = newId(now)
  await store.claimLease(tx, {
    sessionId: id,
    leaseToken,
    leaseUntil: now + leaseMs,
    messageCount,
    now,
  })
  await store.insertMessages(tx, messageRows(request, id, fresh, session.message_count, now))
  const transcript = [...stored.spoken, ...fresh]
  return { claimed: true, value: { id, leaseToken, transcript } }
}

/** A session of this id that begins with this turn, and its rows. */
function opening(ctx: SessionContext, request: SessionRequest, id: string) {
  const { agent, messages } = request
  const now = ctx.clock.now()
  const leaseToken = newId(now)
  const session: store.SessionRow = {
    id,
    workspace_id: agent.workspaceId,
    agent_id: agent.id,
    agent_version: agent.version,
    source: request.source,
    end_user: request.endUser,
    created_at: now,
    last_message_at: now,
    message_count: messages.length,
    lease_token: leaseToken,
    lease_until: now + leaseMs,
  }
  const opened: OpenSession = { id, leaseToken, transcript: messages }
  return { opened, session, messages: messageRows(request, id, messages, 0, now) }
}

/** `store: false`: the session is read, if there is one, and left as it was. */
async function readUnstored(ctx: SessionContext, request: SessionRequest): Promise<OpenSession> {
  const id = request.sessionId ?? newId(ctx.clock.now())
  const unstored = { id, leaseToken: null, transcript: request.messages }
  if (request.sessionId === null) return unstored
  const session = await store.findSession(ctx.db.read, id)
  if (session === undefined) return unstored
  if (session.agent_id !== request.agent.id) throw new Fault(faults.session_unknown)
  const stored = await loadTranscript(ctx.db.read, ctx, request, id)
  const fresh = freshMessages(stored, session.message_count, request.messages)
  return { ...unstored, transcript: [...stored.spoken, ...fresh] }
}

interface StoredTranscript {
  /** What was really said: without answers that failed before their first word. */
  readonly spoken: readonly TranscriptMessage[]
  readonly loadedCount: number
}

async function loadTranscript(
  db: Parameters<typeof store.readMessages>[0],
  ctx: SessionContext,
  request: SessionRequest,
  sessionId: string,
): Promise<StoredTranscript> {
  const limit = Math.max(ctx.config.maxHistoryMessages, request.messages.length)
  const rows = await store.readMessages(db, sessionId, limit)
  const spoken = rows.filter((row) => row.error_code === null || row.content !== '')
  return { spoken: spoken.map(toTranscriptMessage), loadedCount: rows.length }
}

/** A transcript longer than what was loaded is longer than what came in: nothing of it was resent. */
function freshMessages(
  stored: StoredTranscript,
  messageCount: number,
  incoming: readonly TranscriptMessage[],
): readonly TranscriptMessage[] {
  return stored.loadedCount < messageCount ? incoming : dropResentBeginning(stored.spoken, incoming)
}

interface StoredMessage {
  readonly role: string
  readonly content: string
  readonly parts_json: string | null
}

function toTranscriptMessage({ role, content, parts_json }: StoredMessage): TranscriptMessage {
  // Only this feature writes these columns, and only from a TranscriptMessage.
  const message = { role: role as MessageRole, content }
  return parts_json === null
    ? message
    : { ...message, parts: JSON.parse(parts_json) as readonly ContentPart[] }
}

function messageRows(
  request: SessionRequest,
  sessionId: string,
  messages: readonly TranscriptMessage[],
  after: number,
  now: number,
): store.MessageRow[] {
  return messages.map((message, index) => ({
    session_id: sessionId,
    seq: after + index + 1,
    id: newId(now),
    role: message.role,
    content: message.content,
    parts_json: message.parts === undefined ? null : JSON.stringify(message.parts),
    model: null,
    prompt_tokens: null,
    completion_tokens: null,
    latency_ms: null,
    first_token_ms: null,
    finish_reason: null,
    error_code: null,
    citations_json: null,
    correlation_id: request.correlationId,
    created_at: now,
  }))
}
