import type { Kysely, Selectable, Updateable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type UserRow = Omit<Selectable<Schema['users']>, 'without_workspace_since'>

export const userOfEmail = (db: Pick<Kysely<Schema>, 'selectFrom'>, given: { email: string }) =>
  db.selectFrom('users').selectAll().where('email', '=', given.email)

export function findUserRow(reader: Reader, email: string): Promise<UserRow | undefined> {
  return userOfEmail(reader, { email }).executeTakeFirst()
}

/** What an attacker knows about an account: the person's name and those of their workspaces. */
export async function wordsAbout(reader: Reader, email: string): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('users')
    .leftJoin('memberships', 'memberships.user_id', 'users.id')
    .leftJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['users.name as person', 'workspaces.name as workspace'])
    .where('users.email', '=', email.toLowerCase())
    .orderBy('workspaces.id')
    .limit(mostWorkspaces)
    .execute()
  return rows.flatMap(({ person, workspace }) => [person, workspace ?? ''])
}

const mostWorkspaces = 50

export function findUserRowById(reader: Reader, id: string): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The first account; undefined in an empty database. */
export function findFirstUser(reader: Reader): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().orderBy('id').limit(1).executeTakeFirst()
}

/** @returns false when the e-mail is taken, even by an account created at the same time */
export async function insertUser(tx: Tx, row: UserRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function insertSetupLink(
  tx: Tx,
  row: Omit<Schema['setup_links'], 'used_at'>,
): Promise<void> {
  await tx
    .insertInto('setup_links')
    .values({ ...row, used_at: null })
    .execute()
}

/** True when a link was used, or can still be used. */
export async function hasSetupLink(reader: Reader, userId: string, now: number): Promise<boolean> {
  const row = await reader
    .selectFrom('setup_links')
    .select('hash')
    .where('user_id', '=', userId)
    .where((e) => e.or([e('used_at', 'is not', null), e('expires_at', '>', now)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The password of the first account, and one of its links that was not used. */
export const firstSetup = (db: Kysely<Schema>) =>
  db
    .selectFrom('users')
    .select('password_hash')
    .select((e) =>
      e
        .selectFrom('setup_links')
        .select('hash')
        .whereRef('setup_links.user_id', '=', 'users.id')
        .where('used_at', 'is', null)
        .limit(1)
        .as('unused_link'),
    )
    .orderBy('users.id')
    .limit(1)

/** The account of a link that can still be used. */
export function findSetupLink(reader: Reader, hash: string, now: number) {
  return reader
    .selectFrom('setup_links')
    .innerJoin('users', 'users.id', 'setup_links.user_id')
    .select(['users.email', 'users.name'])
    .where('setup_links.hash', '=', hash)
    .where('setup_links.used_at', 'is', null)
    .where('setup_links.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
}

/** @returns the user; null when the link has expired or was spent, even at the same time */
export async function spendSetupLink(tx: Tx, hash: string, now: number): Promise<string | null> {
  const spent = await tx
    .updateTable('setup_links')
    .set({ used_at: now })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst()
  return spent?.user_id ?? null
}

/** Ends the unused links of an account. */
export async function endSetupLinks(tx: Tx, userId: string, now: number): Promise<void> {
  await tx
    .updateTable('setup_links')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

export async function updateUser(tx: Tx, id: string, changes: Updateable<Schema['users']>) {
  await tx.updateTable('users').set(changes).where('id', '=', id).execute()
}

/** @returns false when the password is no longer the one that was verified */
export async function replacePassword(
  tx: Tx,
  change: {
    readonly userId: string
    readonly known: string
    readonly replacement: string
    readonly now: number
  },
): Promise<boolean> {
  const changed = await tx
    .updateTable('users')
    .set({ password_hash: change.replacement, updated_at: change.now })
    .where('id', '=', change.userId)
    .where('password_hash', '=', change.known)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** The user that an OpenID provider's subject belongs to. */
export function findIdentityUser(reader: Reader, issuer: string, subject: string) {
  return reader
    .selectFrom('external_identities')
    .innerJoin('users', 'users.id', 'external_identities.user_id')
    .selectAll('users')
    .where('external_identities.issuer', '=', issuer)
    .where('external_identities.subject', '=', subject)
    .executeTakeFirst()
}

/** Whether an OpenID provider has an identity for this account. */
export async function hasIdentity(reader: Reader, issuer: string, userId: string) {
  const row = await reader
    .selectFrom('external_identities')
    .select('subject')
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function hasAnyIdentity(reader: Reader, userId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('external_identities')
    .select('subject')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteIdentities(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('external_identities').where('user_id', '=', userId).execute()
}

export async function linkIdentity(tx: Tx, row: Schema['external_identities']): Promise<void> {
  await tx
    .insertInto('external_identities')
    .values(row)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .execute()
}

function seats(reader: Reader) {
  return (
    reader
      .selectFrom('memberships')
      .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
      .select(['memberships.user_id', 'memberships.workspace_id'])
      // A deleted one only if there is no other: all its owner can do there is restore it.
      .orderBy((e) => e.case().when('workspaces.deleted_at', 'is', null).then(0).else(1).end())
      .orderBy('workspaces.id')
      .limit(1)
  )
}

/** The owner of the instance's first workspace. */
export function findFirstOwner(reader: Reader) {
  return seats(reader).where('memberships.role', '=', 'owner').executeTakeFirst()
}

/** A person's first workspace: the oldest they own, else the oldest they are a member of. */
export async function findFirstSeat(reader: Reader, userId: string) {
  const mine = seats(reader).where('memberships.user_id', '=', userId)
  const live = mine.where('workspaces.deleted_at', 'is', null)
  const owned = await live.where('memberships.role', '=', 'owner').executeTakeFirst()
  return owned ?? (await mine.executeTakeFirst())
}
