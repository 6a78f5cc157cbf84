import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type Challenge = Schema['factor_challenges']
export type Purpose = 'prove' | 'add_passkey' | 'add_totp'

/** Replaces the holder's earlier challenge for the same purpose. */
export async function putChallenge(
  tx: Tx,
  row: Challenge & { readonly purpose: Purpose },
): Promise<void> {
  const { user_id, value, expires_at } = row
  await tx
    .insertInto('factor_challenges')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['holder', 'purpose']).doUpdateSet({ user_id, value, expires_at }),
    )
    .execute()
}

interface Wanted {
  readonly holder: string
  readonly purpose: Purpose
  readonly userId: string
  readonly now: number
}

/** @returns undefined when there is none, or its deadline has passed */
export async function findChallenge(reader: Reader, wanted: Wanted): Promise<string | undefined> {
  const found = await reader
    .selectFrom('factor_challenges')
    .select('value')
    .where('holder', '=', wanted.holder)
    .where('purpose', '=', wanted.purpose)
    .where('user_id', '=', wanted.userId)
    .where('expires_at', '>', wanted.now)
    .executeTakeFirst()
  return found?.value
}

/** Takes a challenge, so that only one answer can be for it. */
export async function takeChallenge(tx: Tx, wanted: Wanted): Promise<string | undefined> {
  const taken = await tx
    .deleteFrom('factor_challenges')
    .where('holder', '=', wanted.holder)
    .where('purpose', '=', wanted.purpose)
    .where('user_id', '=', wanted.userId)
    .where('expires_at', '>', wanted.now)
    .returning('value')
    .executeTakeFirst()
  return taken?.value
}

export async function deleteChallengesOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('factor_challenges').where('user_id', '=', userId).execute()
}

export async function deleteExpiredChallenges(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('factor_challenges').where('expires_at', '<=', now).execute()
}
