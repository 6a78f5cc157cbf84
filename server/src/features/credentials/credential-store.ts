import type { Tx } from '#platform/db/database.ts'

/** A session that ends is deleted. */
export async function isSessionLive(tx: Tx, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('sign_in_sessions')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

export async function isGrantLive(tx: Tx, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('oauth_grants')
    .select('id')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

export async function isKeyLive(tx: Tx, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}
