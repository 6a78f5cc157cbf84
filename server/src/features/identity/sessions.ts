import { z } from 'zod'
import { sweepChallenges } from '#features/second-factors/index.ts'
import { minuteMs } from '#kernel/durations.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { defineJob } from '#kernel/job.ts'
import { camelKeys, type CamelKeys } from '#kernel/key-case.ts'
import { hashToken, type MintedToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { acceptsPasswords } from './accepted-methods.ts'
import { deleteExpiredEmailLinks } from './email-link-store.ts'
import { deleteExpiredHalfSignIns, insertHalfSignIn } from './half-sign-in-store.ts'
import { identityFaults } from './identity-faults.ts'
import { deleteSpentLogouts } from './openid-logout-store.ts'
import { recordPersonal } from './record-personal.ts'
import {
  deleteDeadSessions,
  deleteOldestSessions,
  deleteSession,
  deleteSessionByHash,
  deleteSessions,
  findLiveSession,
  findSessionOf,
  insertSession,
  listLiveSessions,
  markSeen,
  standing,
  type Alive,
  type SessionRow,
} from './session-store.ts'
import type { UserRow } from './store.ts'

/** A browser in which a person is signed in. */
export interface Session extends Omit<
  CamelKeys<SessionRow>,
  'hash' | 'openidSessionHash' | 'userId' | 'email' | 'name'
> {
  readonly user: { readonly id: string; readonly email: string; readonly name: string }
}

export interface NewSession {
  /** The cookie's value: sent to the browser alone, never stored. */
  readonly token: string
  readonly session: Session
}

/** A sign-in whose second factor is missing. It is no session: it opens only its second step. */
export interface HalfSignIn {
  /** The cookie's value, as in `NewSession`. */
  readonly halfToken: string
}

export type SignInResult = NewSession | HalfSignIn

export function isWhole(result: SignInResult): result is NewSession {
  return 'session' in result
}

/** The browser that a person signs in with. */
export interface Visitor {
  readonly address: string
  readonly userAgent: string | null
  /** Its session until now, which ends with the sign-in. */
  readonly sessionToken: string | null
  /** Its device cookie, if it has one: see `knownBrowserId`. */
  readonly deviceCookie?: string | null
}

const maxUserAgentLength = 300

interface Opening<Method extends string> {
  readonly user: Pick<UserRow, 'id' | 'email' | 'name'>
  readonly method: Method
  /** Drawn before the unit, which may run twice. */
  readonly minted: MintedToken
  readonly visitor: Visitor
  /** From `openIdSessionHash`. */
  readonly openIdSession?: string | null
  /** When the person proved who they are; now by default. */
  readonly confirmedAt?: number
  /** The hash that a password was compared with. */
  readonly passwordHash?: string | null
}

type OpeningContext = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * A step: opens a session for a person who has just proved who they are, or begins the second step for
 * a person with a second factor.
 *
 * @throws Fault person_disabled, credentials_wrong
 */
export async function openSession(
  tx: Tx,
  ctx: OpeningContext,
  opening: Opening<'password' | 'openid' | 'setup'>,
): Promise<SignInResult> {
  const { user, method, minted, openIdSession = null } = opening
  if (!(await requireStanding(tx, ctx, opening))) return await insertWhole(tx, ctx, opening)
  const created_at = ctx.clock.now()
  const expires_at = created_at + ctx.config.secondFactorSeconds * 1000
  await insertHalfSignIn(tx, {
    hash: minted.hash,
    user_id: user.id,
    method,
    openid_session_hash: openIdSession,
    created_at,
    expires_at,
  })
  return { halfToken: minted.token }
}

/**
 * A step: opens a session after every step of a sign-in.
 *
 * @throws Fault person_disabled
 */
export async function openWholeSession(
  tx: Tx,
  ctx: OpeningContext,
  opening: Opening<string>,
): Promise<NewSession> {
  await requireStanding(tx, ctx, opening)
  return await insertWhole(tx, ctx, opening)
}

/**
 * A step. Every way to sign in comes here, so a disabled person is refused here. The password may change
 * while it is hashed: the change ends all sessions opened with the old password, and must not miss the
 * one about to be opened.
 *
 * @returns whether the person has a second factor
 * @throws Fault person_disabled, credentials_wrong
 */
async function requireStanding(
  tx: Tx,
  { db }: OpeningContext,
  { user, passwordHash }: Opening<string>,
): Promise<boolean> {
  const [person] = await db.prepared(standing).within(tx, { id: user.id })
  if (passwordHash !== undefined && person?.password_hash !== passwordHash)
    throw new Fault(identityFaults.credentials_wrong)
  if (person !== undefined && person.disabled_at !== null)
    throw new Fault(identityFaults.person_disabled)
  return person !== undefined && person.factor !== null
}

/**
 * The token is new and the browser's earlier session ends, so that an attacker cannot have planted it
 * (session fixation).
 */
async function insertWhole(
  tx: Tx,
  ctx: OpeningContext,
  { user, method, openIdSession = null, minted, visitor, confirmedAt }: Opening<string>,
): Promise<NewSession> {
  if (visitor.sessionToken !== null) await deleteSessionByHash(tx, hashToken(visitor.sessionToken))
  const now = ctx.clock.now()
  const row = {
    id: newId(now),
    hash: minted.hash,
    user_id: user.id,
    method,
    openid_session_hash: openIdSession,
    user_agent: visitor.userAgent?.slice(0, maxUserAgentLength) ?? null,
    address: visitor.address,
    created_at: now,
    last_seen_at: now,
    expires_at: now + ctx.config.sessionLifetimeSeconds * 1000,
    confirmed_at: confirmedAt ?? now,
  }
  await ctx.db.prepared(insertSession).within(tx, row)
  const ended = await deleteOldestSessions(ctx.db, tx, user.id, ctx.config.sessionsPerPerson)
  if (ended.length > 0)
    await recordPersonal(tx, now, user.id, 'end_session', visitor, { oldest: ended.length })
  const { email, name } = user
  return { token: minted.token, session: sessionFromRow({ ...row, email, name }) }
}

/** The live session of a cookie; null if there is none. Stores its use without waiting for it. */
export async function findSession(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  token: string,
): Promise<Session | null> {
  const row = await findLiveSession(ctx.db.read, hashToken(token), alive(ctx))
  if (row === undefined) return null
  void touchSession(ctx, row.id, row.last_seen_at)
  return sessionFromRow(row)
}

/** Whether a person's session, named by its id, is live. */
export async function isSessionAlive(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  of: { readonly id: string; readonly userId: string },
): Promise<boolean> {
  return (await findSessionOf(ctx.db.read, of, alive(ctx))) !== undefined
}

async function touchSession(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  id: string,
  seenAt: number,
): Promise<void> {
  const now = ctx.clock.now()
  if (now - seenAt < minuteMs) return
  try {
    await ctx.db.write((tx) => markSeen(tx, id, now, now - minuteMs))
  } catch (error) {
    ctx.log.warn({ err: error, sessionId: id }, 'could not store the use of a session')
  }
}

/** A person's sessions, newest first. */
export async function listSessions(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  userId: string,
): Promise<readonly Session[]> {
  const rows = await listLiveSessions(ctx.db.read, userId, alive(ctx))
  return rows.map(sessionFromRow)
}

/** Ends the session of a cookie, if there is one. */
export async function signOut(ctx: Pick<Context, 'db' | 'clock'>, token: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const ended = await deleteSessionByHash(tx, hashToken(token))
    if (ended !== undefined)
      await recordPersonal(tx, ctx.clock.now(), ended.user_id, 'sign_out', ended)
  })
}

/** @throws Fault record_not_found for another person's session, or one that has ended */
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

/** Ends all of a person's sessions but this one. */
export async function endOtherSessions(
  ctx: Pick<Context, 'db' | 'clock'>,
  { user, id }: Pick<Session, 'user' | 'id'>,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    await deleteSessions(tx, user.id, id)
    await recordPersonal(tx, ctx.clock.now(), user.id, 'end_other_sessions')
  })
}

/** Deletes what has ended: sessions, half-finished sign-ins, challenges and expired links. */
export const sweepSessions = defineJob({
  kind: 'identity.sweep_sessions',
  input: z.object({}),
  everyMs: 60 * 60 * 1000,
  async run(ctx: Pick<Context, 'db' | 'clock' | 'config'>) {
    await ctx.db.write(async (tx) => {
      await deleteDeadSessions(tx, alive(ctx))
      await deleteSpentLogouts(tx, ctx.clock.now())
      await deleteExpiredEmailLinks(tx, ctx.clock.now())
      await deleteExpiredHalfSignIns(tx, ctx.clock.now())
      await sweepChallenges(tx, ctx.clock.now())
    })
  },
})

function alive({ clock, config }: Pick<Context, 'clock' | 'config'>): Alive {
  const now = clock.now()
  const seenSince = now - config.sessionIdleSeconds * 1000
  return { now, seenSince, openIdOnly: !acceptsPasswords(config) }
}

function sessionFromRow(row: SessionRow): Session {
  const { hash: _, openid_session_hash: _session, user_id: id, email, name, ...same } = row
  return { ...camelKeys(same), user: { id, email, name } }
}
