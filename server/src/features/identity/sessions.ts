import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { hashToken, mintToken, type MintedToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { recordPersonal } from './record-personal.ts'
import { sessionFromRow, type NewSession, type Session, type SignInMethod } from './session.ts'
import type { Visitor } from './session.ts'
import {
  deleteDeadSessions,
  deleteSession,
  deleteSessionByHash,
  deleteSessions,
  findLiveSession,
  insertSession,
  listLiveSessions,
  markSeen,
  type Alive,
} from './session-store.ts'
import type { UserRow } from './store.ts'

const minute = 60_000
const maxUserAgentLength = 300

/** 256 random bits, made before the unit that stores their hash. */
export function mintSession(): MintedToken {
  return mintToken('')
}

/**
 * A step: a session for a person who has just proved who they are. The token is new, and whatever
 * session the browser had is over: nobody can have planted the one that is signed in.
 */
export async function openSession(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  input: {
    readonly user: Pick<UserRow, 'id' | 'email' | 'name'>
    readonly method: SignInMethod
    readonly minted: MintedToken
    readonly visitor: Visitor
  },
): Promise<NewSession> {
  const { user, method, minted, visitor } = input
  if (visitor.sessionToken !== null) await deleteSessionByHash(tx, hashToken(visitor.sessionToken))
  const now = ctx.clock.now()
  const row = {
    id: newId(now),
    hash: minted.hash,
    user_id: user.id,
    method,
    user_agent: visitor.userAgent?.slice(0, maxUserAgentLength) ?? null,
    address: visitor.address,
    created_at: now,
    last_seen_at: now,
    expires_at: now + ctx.config.sessionLifetimeSeconds * 1000,
  }
  await insertSession(tx, row)
  const { email, name } = user
  return { token: minted.token, session: sessionFromRow({ ...row, email, name }) }
}

/** The live session of a cookie; null when there is none. Notes, outside the answer's path, its use. */
export async function findSession(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  token: string,
): Promise<Session | null> {
  const row = await findLiveSession(ctx.db.read, hashToken(token), alive(ctx))
  if (row === undefined) return null
  void touchSession(ctx, row.id, row.last_seen_at)
  return sessionFromRow(row)
}

async function touchSession(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  id: string,
  seenAt: number,
): Promise<void> {
  const now = ctx.clock.now()
  if (now - seenAt < minute) return
  try {
    await ctx.db.write((tx) => markSeen(tx, id, now, now - minute))
  } catch (error) {
    ctx.log.warn({ err: error, sessionId: id }, 'could not note the use of a session')
  }
}

/** Where a person is signed in, newest first. */
export async function listSessions(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  userId: string,
): Promise<readonly Session[]> {
  const rows = await listLiveSessions(ctx.db.read, userId, alive(ctx))
  return rows.map(sessionFromRow)
}

/** Ends the session of a cookie, if it is one. */
export async function signOut(ctx: Pick<Context, 'db' | 'clock'>, token: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const ended = await deleteSessionByHash(tx, hashToken(token))
    if (ended !== undefined)
      await recordPersonal(tx, ctx.clock.now(), ended.user_id, 'sign_out', ended)
  })
}

/** @throws Fault record_not_found for a session that is not the person's, or has ended */
export async function endSession(
  ctx: Pick<Context, 'db' | 'clock'>,
  userId: string,
  id: string,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    if (!(await deleteSession(tx, userId, id))) throw new Fault(commonFaults.record_not_found)
    await recordPersonal(tx, ctx.clock.now(), userId, 'end_session')
  })
}

/** Signs a person out everywhere but here. */
export async function endOtherSessions(
  ctx: Pick<Context, 'db' | 'clock'>,
  { user, id }: Pick<Session, 'user' | 'id'>,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    await deleteSessions(tx, user.id, id)
    await recordPersonal(tx, ctx.clock.now(), user.id, 'end_other_sessions')
  })
}

/** Deletes the sessions that are over. Run it now and then, anywhere. */
export async function sweepSessions(ctx: Pick<Context, 'db' | 'clock' | 'config'>): Promise<void> {
  await ctx.db.write((tx) => deleteDeadSessions(tx, alive(ctx)))
}

function alive({ clock, config }: Pick<Context, 'clock' | 'config'>): Alive {
  const now = clock.now()
  return { now, seenSince: now - config.sessionIdleSeconds * 1000 }
}
