import { findDeveloperKeyHolder } from '#features/api-keys/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { hashToken, tokenPrefixes } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { findTokenHolder } from './grant-store.ts'

/**
 * The holder of a bearer token, also of an expired or revoked one: for recording a refusal, never for
 * access. The actor has no scopes.
 *
 * @returns null for a token that was never issued or is no longer stored
 */
export async function holderOfBearer(
  ctx: Pick<Context, 'db'>,
  token: string,
): Promise<Actor | null> {
  const hash = hashToken(token)
  if (!token.startsWith(tokenPrefixes.accessToken)) return await findDeveloperKeyHolder(ctx, hash)
  const row = await findTokenHolder(ctx.db.read, hash)
  if (row === undefined) return null
  return {
    userId: row.user_id,
    workspaceId: row.workspace_id,
    scopes: [],
    surface: 'mcp',
    via: { kind: 'grant', id: row.grant_id, client: row.client_name },
  }
}
