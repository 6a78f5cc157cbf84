import type { Reader } from '#platform/db/database.ts'

/** A session that ends is deleted. */
export async function isSessionLive(reader: Reader, id: string): Promise<boolean> {
  const found = await reader
    .selectFrom('sign_in_sessions')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

export async function isGrantLive(reader: Reader, id: string): Promise<boolean> {
  const found = await reader
    .selectFrom('oauth_grants')
    .select('id')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

export async function isKeyLive(reader: Reader, id: string): Promise<boolean> {
  const found = await reader
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

export async function isDisabled(reader: Reader, userId: string): Promise<boolean> {
  const found = await reader
    .selectFrom('users')
    .select('disabled_at')
    .where('id', '=', userId)
    .executeTakeFirst()
  return found === undefined || found.disabled_at !== null
}
