import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type HalfSignInRow = Selectable<Schema['half_sign_ins']>

export async function insertHalfSignIn(tx: Tx, row: HalfSignInRow): Promise<void> {
  await tx.insertInto('half_sign_ins').values(row).execute()
}

/** A half-finished sign-in within its deadline, with its person. */
export function findHalfSignIn(reader: Reader, hash: string, now: number) {
  return reader
    .selectFrom('half_sign_ins as half')
    .innerJoin('users as person', 'person.id', 'half.user_id')
    .select(['half.hash', 'half.method', 'half.openid_session_hash as openIdSession'])
    .select(['person.id', 'person.email', 'person.name'])
    .where('half.hash', '=', hash)
    .where('half.expires_at', '>', now)
    .executeTakeFirst()
}

/** @returns false when it was finished or ended, even at the same time */
export async function takeHalfSignIn(tx: Tx, hash: string, now: number): Promise<boolean> {
  const taken = await tx
    .deleteFrom('half_sign_ins')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .returning('hash')
    .executeTakeFirst()
  return taken !== undefined
}

export async function deleteHalfSignIns(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('half_sign_ins').where('user_id', '=', userId).execute()
}

export async function deleteExpiredHalfSignIns(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('half_sign_ins').where('expires_at', '<=', now).execute()
}
