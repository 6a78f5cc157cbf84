import type { Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** @returns false when the token was used before, even at the same time */
export async function spendLogout(tx: Tx, row: Schema['openid_logouts']): Promise<boolean> {
  const spent = await tx
    .insertInto('openid_logouts')
    .values(row)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  return spent !== undefined
}

export async function deleteSpentLogouts(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('openid_logouts').where('expires_at', '<=', now).execute()
}

/**
 * Deletes the sessions that a provider names by person, by its own session, or by both. A session of
 * the person that the provider never named counts as meant. Half-finished sign-ins end with them.
 *
 * @returns whose they were
 */
export async function deleteOpenIdSessions(
  tx: Tx,
  named: { readonly userId: string | null; readonly sessionHash: string | null },
): Promise<readonly string[]> {
  const { userId, sessionHash } = named
  await tx
    .deleteFrom('half_sign_ins')
    .where('method', '=', 'openid')
    .$if(userId !== null, (query) => query.where('user_id', '=', userId))
    .$if(userId === null, (query) => query.where('openid_session_hash', '=', sessionHash))
    .execute()
  const deleted = await tx
    .deleteFrom('sign_in_sessions')
    .where('method', '=', 'openid')
    .$if(userId !== null, (query) => query.where('user_id', '=', userId))
    .$if(sessionHash !== null, (query) =>
      query.where((e) => {
        const isNamed = e('openid_session_hash', '=', sessionHash)
        return userId === null ? isNamed : isNamed.or('openid_session_hash', 'is', null)
      }),
    )
    .returning('user_id')
    .execute()
  return [...new Set(deleted.map(({ user_id }) => user_id))]
}
