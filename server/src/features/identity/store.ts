import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema, UsersTable } from '#platform/db/schema.ts'

export type UserRow = Selectable<UsersTable>

export function findUserRow(reader: Reader, email: string): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

/** The first account there is; undefined in an empty database. */
export function findFirstUser(reader: Reader): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().orderBy('id').limit(1).executeTakeFirst()
}

/** @returns false when the e-mail is taken, also by an account made at the same moment */
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
  row: Pick<Schema['setup_links'], 'hash' | 'user_id' | 'created_at' | 'expires_at'>,
): Promise<void> {
  await tx
    .insertInto('setup_links')
    .values({ ...row, used_at: null })
    .execute()
}

/** True when a link was used, or one can still be. */
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

interface Seat {
  readonly user_id: string
  readonly workspace_id: string
}

function seats(reader: Reader) {
  return reader
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['memberships.user_id', 'memberships.workspace_id'])
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('workspaces.id')
    .limit(1)
}

/** The owner of the first workspace of the instance. */
export function findFirstOwner(reader: Reader): Promise<Seat | undefined> {
  return seats(reader).where('memberships.role', '=', 'owner').executeTakeFirst()
}

/** A person's first workspace: the oldest they own, else the oldest they are a member of. */
export async function findFirstSeat(reader: Reader, userId: string): Promise<Seat | undefined> {
  const mine = seats(reader).where('memberships.user_id', '=', userId)
  const owned = await mine.where('memberships.role', '=', 'owner').executeTakeFirst()
  return owned ?? (await mine.executeTakeFirst())
}
