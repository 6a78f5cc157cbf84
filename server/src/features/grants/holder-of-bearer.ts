import { findDeveloperKeyHolder } from '#features/api-keys/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { hashToken, tokenPrefixes } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { findTokenHolder } from './grant-store.ts'

/**
 * Whose a bearer token is or was, also one that is expired or revoked: for the record of a refusal,
 * never to let anybody in. It has no scopes.
 *
 * @returns null for a token that was never issued, or is gone without a trace
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
