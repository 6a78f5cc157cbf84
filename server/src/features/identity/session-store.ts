import type { Kysely, Selectable } from 'kysely'
import { factorsOf } from '#features/second-factors/index.ts'
import type { Database, Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { deleteHalfSignIns } from './half-sign-in-store.ts'

type StoredSession = Selectable<Schema['sign_in_sessions']>
export type SessionRow = StoredSession & { readonly email: string; readonly name: string }

/** More than one only after an upgrade, or when the limit is lowered. */
const deletedAtOnce = 200

/** Live sessions are neither too old nor idle for too long. */
export interface Alive {
  readonly now: number
  /** Seen after this. */
  readonly seenSince: number
  /** Sessions that began with a password do not count. */
  readonly openIdOnly: boolean
}

function liveSessions(reader: Reader, { now, seenSince, openIdOnly }: Alive) {
  const live = reader
    .selectFrom('sign_in_sessions as session')
    .innerJoin('users as person', 'person.id', 'session.user_id')
    .selectAll('session')
    .select(['person.email', 'person.name'])
    .where('session.expires_at', '>', now)
    .where('session.last_seen_at', '>', seenSince)
    .where('person.disabled_at', 'is', null)
  return openIdOnly ? live.where('session.method', '=', 'openid') : live
}

/** What decides whether a person who proved who they are is signed in; `factor` is one of their second factors. */
export const standing = (db: Kysely<Schema>, given: { id: string }) =>
  db
    .selectFrom('users')
    .select(['password_hash', 'disabled_at'])
    .select(factorsOf(db, given.id).limit(1).as('factor'))
    .where('id', '=', given.id)

export const insertSession = (db: Kysely<Schema>, given: StoredSession) =>
  db.insertInto('sign_in_sessions').values({
    id: given.id,
    hash: given.hash,
    user_id: given.user_id,
    method: given.method,
    openid_session_hash: given.openid_session_hash,
    user_agent: given.user_agent,
    address: given.address,
    created_at: given.created_at,
    last_seen_at: given.last_seen_at,
    expires_at: given.expires_at,
    confirmed_at: given.confirmed_at,
  })

export function findLiveSession(reader: Reader, hash: string, alive: Alive) {
  return liveSessions(reader, alive).where('session.hash', '=', hash).executeTakeFirst()
}

export function findSessionOf(
  reader: Reader,
  { id, userId }: { readonly id: string; readonly userId: string },
  alive: Alive,
) {
  return liveSessions(reader, alive)
    .where('session.id', '=', id)
    .where('session.user_id', '=', userId)
    .executeTakeFirst()
}

/** Newest first. */
export function listLiveSessions(reader: Reader, userId: string, alive: Alive) {
  return liveSessions(reader, alive)
    .where('session.user_id', '=', userId)
    .orderBy('session.id', 'desc')
    .limit(100)
    .execute()
}

/** @returns its user and address; undefined when there was none */
export function deleteSessionByHash(tx: Tx, hash: string) {
  return tx
    .deleteFrom('sign_in_sessions')
    .where('hash', '=', hash)
    .returning(['user_id', 'address'])
    .executeTakeFirst()
}

/** @returns false when the person has no such session */
export async function deleteSession(tx: Tx, userId: string, id: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('sign_in_sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

const deleteOldest = (db: Kysely<Schema>, given: { userId: string; kept: number }) =>
  db
    .deleteFrom('sign_in_sessions')
    .where('id', 'in', (e) =>
      e
        .selectFrom('sign_in_sessions')
        .select('id')
        .where('user_id', '=', given.userId)
        .orderBy('id', 'desc')
        .limit(deletedAtOnce)
        .offset(given.kept),
    )
    .returning('id')

/**
 * Deletes a person's oldest sessions beyond a number.
 *
 * @returns their ids
 */
export async function deleteOldestSessions(
  db: Database,
  tx: Tx,
  userId: string,
  kept: number,
): Promise<readonly string[]> {
  const rows = await db.prepared(deleteOldest).within(tx, { userId, kept })
  return rows.map(({ id }) => id)
}

/** Deletes all of a person's sessions but `except`, and their half-finished sign-ins. */
export async function deleteSessions(tx: Tx, userId: string, except: string | null): Promise<void> {
  let query = tx.deleteFrom('sign_in_sessions').where('user_id', '=', userId)
  if (except !== null) query = query.where('id', '!=', except)
  await query.execute()
  await deleteHalfSignIns(tx, userId)
}

export async function markConfirmed(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('sign_in_sessions').set({ confirmed_at: now }).where('id', '=', id).execute()
}

export async function markSeen(tx: Tx, id: string, now: number, unlessSince: number) {
  await tx
    .updateTable('sign_in_sessions')
    .set({ last_seen_at: now })
    .where('id', '=', id)
    .where('last_seen_at', '<=', unlessSince)
    .execute()
}

export async function deleteDeadSessions(tx: Tx, { now, seenSince }: Alive): Promise<void> {
  await tx
    .deleteFrom('sign_in_sessions')
    .where((e) => e.or([e('expires_at', '<=', now), e('last_seen_at', '<=', seenSince)]))
    .execute()
}
