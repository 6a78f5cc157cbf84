import { EventEmitter, once } from 'node:events'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Tx, WriteOptions } from '#platform/db/database.ts'
import * as store from './claim-store.ts'
import { isHeld, leaseMs, renewEveryMs } from './lease-time.ts'
import type { SessionRequest } from './session-request.ts'
import type { SessionRow } from './turn-columns.ts'
import { turnFaults as faults } from './turn-faults.ts'

const pollMs = { first: 20, most: 250 }

/**
 * An event with a session's id as its name wakes this process's turns that wait for that session. This
 * only shortens the wait: the database decides the order, and waiters in other processes poll.
 */
export const sessionReleases = new EventEmitter().setMaxListeners(0)

type LeaseContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

/** The result of a claim inside a unit; `claimed` is false when another turn goes first. */
export type Claim<T> = { readonly claimed: true; readonly value: T } | { readonly claimed: false }

/**
 * Runs `claim` in a unit once the session is free and this turn is first in the queue. The queue is in
 * the database, so it works across processes, and no connection is held while waiting.
 *
 * @throws Fault session_queue_full, turn_aborted
 */
export async function claimInOrder<T>(
  ctx: LeaseContext,
  sessionId: string,
  signal: AbortSignal,
  claim: (tx: Tx, ticket: string | null) => Promise<Claim<T>>,
  options: WriteOptions = {},
): Promise<T> {
  const first = await ctx.db.write((tx) => claim(tx, null), options)
  if (first.claimed) return first.value
  const ticket = await takeTicket(ctx, sessionId)
  try {
    for (;;) {
      await waitForTurn(ctx, sessionId, ticket, signal)
      const result = await ctx.db.write((tx) => claim(tx, ticket))
      if (result.claimed) return result.value
    }
  } finally {
    await ctx.db.write((tx) => store.removeTicket(tx, sessionId, ticket, ctx.clock.now()))
    sessionReleases.emit(sessionId)
  }
}

/** True when the session is free and no other ticket is before this one. */
export async function mayClaim(
  db: Database,
  tx: Tx,
  session: Parameters<typeof isHeld>[0],
  sessionId: string,
  ticket: string | null,
  now: number,
): Promise<boolean> {
  if (isHeld(session, now)) return false
  const [first] = await db.prepared(store.liveTickets).within(tx, { session_id: sessionId, now })
  return first === undefined || first.ticket === ticket
}

/** @throws Fault session_unknown, session_moved_on */
export function requireOwn(
  session: Pick<SessionRow, 'agent_id' | 'message_count'>,
  { agent, after }: SessionRequest,
): void {
  if (session.agent_id !== agent.id) throw new Fault(faults.session_unknown)
  if (after !== undefined && session.message_count !== after)
    throw new Fault(faults.session_moved_on)
}

/** Whether this turn is the first of a session that names its end user. */
export function mustName(
  session: Pick<SessionRow, 'end_user'>,
  request: SessionRequest,
): request is SessionRequest & { readonly endUser: string } {
  return session.end_user === null && request.endUser !== null
}

async function takeTicket(ctx: LeaseContext, sessionId: string): Promise<string> {
  const now = ctx.clock.now()
  const ticket = newId(now)
  const limit = ctx.config.sessionQueueLimit
  await ctx.db.write(async (tx) => {
    const waiting = await store.liveTickets(tx, { session_id: sessionId, now }).execute()
    if (waiting.length >= limit)
      throw new Fault(faults.session_queue_full, { limit, retryAfterSeconds: 1 })
    await store.insertTicket(tx, sessionId, ticket, now + leaseMs)
  })
  return ticket
}

async function waitForTurn(
  ctx: LeaseContext,
  sessionId: string,
  ticket: string,
  signal: AbortSignal,
): Promise<void> {
  let pause = pollMs.first
  let renewAt = ctx.clock.now() + renewEveryMs
  for (;;) {
    if (signal.aborted) throw new Fault(faults.turn_aborted)
    const now = ctx.clock.now()
    if (now >= renewAt) {
      await ctx.db.write((tx) => store.renewTicket(tx, ticket, now + leaseMs))
      renewAt = now + renewEveryMs
    }
    if (await isNext(ctx, sessionId, ticket, now)) return
    await sleepUntilRelease(sessionId, pause, signal)
    pause = Math.min(pause * 2, pollMs.most)
  }
}

async function isNext(ctx: LeaseContext, sessionId: string, ticket: string, now: number) {
  const [session] = await ctx.db.prepared(store.sessionOfId).read({ id: sessionId })
  if (session !== undefined && isHeld(session, now)) return false
  const [first] = await ctx.db.prepared(store.liveTickets).read({ session_id: sessionId, now })
  // The ticket itself is not listed if it expired because this process stalled; the claim decides.
  return first === undefined || first.ticket === ticket
}

/** Resolves after a release in this process, after `milliseconds`, or when the client disconnects. */
export async function sleepUntilRelease(
  sessionId: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)])
  await once(sessionReleases, sessionId, { signal: over }).catch((error: unknown) => {
    if (!over.aborted) throw error
  })
}
