import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx, WriteOptions } from '#platform/db/database.ts'
import { requireConversationRoom } from './authenticate-caller.ts'
import {
  claimAtOnce,
  historyBytes,
  nameEndUser,
  peekSession,
  readNewest,
  sessionOfId,
  takeLease,
  type LeaseClaim,
  type LoadLimit,
  type StoredMessage,
} from './claim-store.ts'
import { heldTurns, type HeldTurn, type LongTurn } from './held-turns.ts'
import { leaseMs, renewEveryMs } from './lease-time.ts'
import { PendingOpening } from './pending-opening.ts'
import { recoverWithin } from './recover-turns.ts'
import { claimInOrder, mayClaim, mustName, requireOwn, type Claim } from './session-lease.ts'
import { inheritSummary } from './summary-store.ts'
import type { SessionRequest } from './session-request.ts'
import type { SessionRow } from './turn-columns.ts'
import { addWithin, messageRows, openWithin, storeOpening } from './turn-store.ts'
import { asStored, freshMessages, transcriptOf, type TranscriptMessage } from './prompt.ts'

/** A session that this turn may answer in. */
export interface OpenSession {
  readonly id: string
  /** Null when nothing is stored, so no lease is held. */
  readonly leaseToken: string | null
  /** Set when the answer's write stores the session, too. */
  readonly pending?: PendingOpening
  /** Set while the session is stored (`showsSessionLate`). */
  readonly storing?: Promise<void>
  /** The number of the turn's first message in the session. */
  readonly firstSeq: number
  /** The stored messages and the new ones. */
  readonly transcript: readonly TranscriptMessage[]
  /** What stands in for the messages up to `last`, which the transcript then lacks. */
  readonly summary?: { readonly text: string; readonly last: number }
}

type SessionContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

/**
 * Finds or starts the session, waits for its lease, and stores the user's messages.
 *
 * @throws Fault session_unknown (the session belongs to another agent), session_moved_on,
 *   session_queue_full, turn_aborted
 */
export async function openSession(
  ctx: SessionContext,
  asked: SessionRequest,
  signal: AbortSignal,
): Promise<OpenSession> {
  const { instructions } = asked
  const session = await open(ctx, { ...asked, messages: asStored(asked.messages) }, signal)
  if (instructions === undefined || instructions === null) return session
  return {
    ...session,
    transcript: [{ role: 'system', content: instructions }, ...session.transcript],
  }
}

async function open(
  ctx: SessionContext,
  request: SessionRequest,
  signal: AbortSignal,
): Promise<OpenSession> {
  if (!request.store) return await readUnstored(ctx, request)
  if (request.sessionId === null) return await startSession(ctx, request)
  const { sessionId } = request
  const isAtOnce = ctx.db.engine === 'postgres' && request.atBeginning === undefined
  const opened = isAtOnce ? await claimFree(ctx, request, sessionId) : null
  if (opened !== null) return opened
  const claim = (tx: Tx, ticket: string | null) => claimSession(tx, ctx, request, sessionId, ticket)
  return await claimInOrder(ctx, sessionId, signal, claim, flushOf(request))
}

export interface KeptLease {
  /** No further part of the answer is stored alone. @returns whether any part may be stored */
  beginClosing(): Promise<boolean>
  end(): void
}

/**
 * Renews a lease until `end`, and stores what is streamed meanwhile. A turn that ends within a second
 * does neither. A turn that lost its lease still stores its answer.
 */
export function keepLease(
  ctx: SessionContext,
  { id: sessionId, leaseToken }: OpenSession,
  running: Omit<HeldTurn, 'sessionId' | 'leaseToken'>,
): KeptLease | null {
  if (leaseToken === null) return null
  const isNew = { isClosing: false, storedTo: 0, hasPieces: false }
  const turn: LongTurn = { ...running, sessionId, leaseToken, ...isNew }
  let isLong = false
  const timer = setTimeout(() => {
    isLong = true
    heldTurns(ctx).add(turn)
  }, renewEveryMs)
  timer.unref()
  return {
    async beginClosing() {
      turn.isClosing = true
      if (isLong) await heldTurns(ctx).settled()
      return turn.hasPieces
    },
    end() {
      clearTimeout(timer)
      if (isLong) heldTurns(ctx).delete(turn)
    },
  }
}

async function startSession(ctx: SessionContext, request: SessionRequest): Promise<OpenSession> {
  const { opened, session, messages } = opening(ctx, request, newId(ctx.clock.now()))
  const { branch } = request
  if (mayWait(request)) return { ...opened, pending: new PendingOpening(ctx, session, messages) }
  if (request.atBeginning === undefined && branch === undefined) {
    const storing = storeOpening(ctx.db, session, messages, flushOf(request))
    if (!isShownLate(request)) await storing
    else {
      // Its error is that of the answer, which waits for it.
      storing.catch(() => undefined)
      return { ...opened, storing }
    }
  } else
    await ctx.db.write(async (tx) => {
      await openWithin(ctx.db, tx, session, messages)
      if (branch !== undefined) await inheritSummary(tx, opened.id, branch)
      await begin(tx, request, opened)
    }, flushOf(request))
  return opened
}

/** Whether nobody can know of a new session before its answer is stored. */
function mayWait(request: SessionRequest): boolean {
  const isAlone = request.atBeginning === undefined && request.branch === undefined
  return !request.stream && isAlone && isUnknown(request)
}

/** Whether the model may be asked while a new session is stored, for a caller who streams. */
function isShownLate(request: SessionRequest): boolean {
  return request.stream && request.showsSessionLate === true && isUnknown(request)
}

/**
 * Whether nothing but the answer leads to a new session: no call of a tool refers to it. The erasure of
 * an end user must find every session that began before it.
 */
function isUnknown({ endUser, agent }: SessionRequest): boolean {
  return endUser === null && !agent.hasTools
}

/**
 * A client that does not stream receives nothing before the answer is stored, and that write also
 * flushes the opening (decision 0019). A streamed answer is visible at once, so its session must survive
 * a power failure.
 */
function flushOf({ stream }: SessionRequest): WriteOptions {
  return stream ? {} : { flush: 'later' }
}

/**
 * Claims the session without a unit, in which each statement would be a round trip to PostgreSQL.
 *
 * @returns null when the session is new or busy, has just changed, gets its end user, or its turn has died
 */
async function claimFree(
  ctx: SessionContext,
  request: SessionRequest,
  id: string,
): Promise<OpenSession | null> {
  const { session, messages } = await peekSession(ctx.db, id, loadLimit(ctx, request))
  if (session === undefined) return null
  requireOwn(session, request)
  if ((messages.at(-1)?.seq ?? 0) !== session.message_count) return null
  if (session.lease_token !== null || mustName(session, request)) return null
  const { opened, claim, fresh } = continuation(ctx, request, id, session, messages)
  const claimed = await claimAtOnce(ctx.db, claim, session.message_count, fresh)
  return claimed ? opened : null
}

async function claimSession(
  tx: Tx,
  ctx: SessionContext,
  request: SessionRequest,
  id: string,
  ticket: string | null,
): Promise<Claim<OpenSession>> {
  const [session] = await ctx.db.prepared(sessionOfId).within(tx, { id })
  if (session === undefined) {
    const { opened, session: row, messages } = opening(ctx, request, id)
    await openWithin(ctx.db, tx, row, messages)
    await begin(tx, request, opened)
    return { claimed: true, value: opened }
  }
  requireOwn(session, request)
  const now = ctx.clock.now()
  if (!(await mayClaim(ctx.db, tx, session, id, ticket, now))) return { claimed: false }
  // A turn that still has its expired lease has died.
  const dead = session.lease_token === null ? [] : await recoverWithin(ctx.db, tx, id, now)
  const messages = await readNewest(ctx.db, tx, id, loadLimit(ctx, request))
  const stored = { message_count: session.message_count + dead.length }
  const { opened, claim, fresh } = continuation(ctx, request, id, stored, messages)
  await ctx.db.prepared(takeLease).within(tx, claim)
  if (mustName(session, request)) await nameEndUser(tx, id, request.endUser)
  await addWithin(ctx.db, tx, fresh)
  await begin(tx, request, opened)
  return { claimed: true, value: opened }
}

async function begin(tx: Tx, { atBeginning }: SessionRequest, opened: OpenSession): Promise<void> {
  await atBeginning?.(tx, { sessionId: opened.id, firstSeq: opened.firstSeq })
}

/** What a turn changes in an existing session: the lease and the new rows. */
function continuation(
  ctx: SessionContext,
  request: SessionRequest,
  id: string,
  { message_count: before }: Pick<SessionRow, 'message_count'>,
  messages: readonly StoredMessage[],
) {
  const stored = transcriptOf(messages)
  const incoming = freshMessages(stored, before, request.messages)
  requireConversationRoom(ctx, before + incoming.length + 1)
  const now = ctx.clock.now()
  const leaseToken = newId(now)
  const claim: LeaseClaim = {
    session_id: id,
    lease_token: leaseToken,
    lease_until: now + leaseMs,
    message_count: before + incoming.length,
    now,
  }
  const transcript = [...stored.spoken, ...incoming]
  const opened: OpenSession = { id, leaseToken, firstSeq: before + 1, transcript }
  return { opened, claim, fresh: messageRows(request, id, incoming, before, now) }
}

/** The rows of a session that begins with this turn. */
function opening(ctx: SessionContext, request: SessionRequest, id: string) {
  const { agent, messages } = request
  requireConversationRoom(ctx, messages.length + 1)
  const now = ctx.clock.now()
  const leaseToken = newId(now)
  const session: SessionRow = {
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
  const opened: OpenSession = { id, leaseToken, firstSeq: 1, transcript: numbered(request) }
  return { opened, session, messages: messageRows(request, id, messages, 0, now) }
}

/** The messages of a new session. Those of a branch have numbers, so that its summary can stand in for them. */
function numbered({ messages, branch }: SessionRequest): readonly TranscriptMessage[] {
  if (branch === undefined) return messages
  return messages.map((message, n) =>
    n < branch.seqs.length ? { ...message, seq: n + 1 } : message,
  )
}

/** With `store: false` the session is read, if it exists, but not changed. */
async function readUnstored(ctx: SessionContext, request: SessionRequest): Promise<OpenSession> {
  const id = request.sessionId ?? newId(ctx.clock.now())
  const unstored = { id, leaseToken: null, firstSeq: 1, transcript: numbered(request) }
  if (request.sessionId === null) return unstored
  const { session, messages } = await peekSession(ctx.db, id, loadLimit(ctx, request))
  if (session === undefined) return unstored
  requireOwn(session, request)
  const stored = transcriptOf(messages)
  const fresh = freshMessages(stored, session.message_count, request.messages)
  return { ...unstored, transcript: [...stored.spoken, ...fresh] }
}

/** At least as much as a request can contain, so that resent messages are recognised. */
function loadLimit({ config }: SessionContext, { messages }: SessionRequest): LoadLimit {
  return {
    messages: Math.max(config.maxHistoryMessages, messages.length),
    bytes: historyBytes(config),
  }
}
