import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { deleteToken, endGrant, findGrant, findToken } from './grant-store.ts'
import { recordGrantEvent } from './record-grant.ts'

/**
 * Revokes a token (RFC 7009 §2.1): an access token ends alone, a refresh token ends its whole grant.
 * An unknown token counts as revoked (§2.2), so no call is refused. Tokens are found by hash, so the
 * type hint is not needed.
 *
 * @param clientId if given, another client's token is left alone
 */
export async function revokeToken(
  ctx: Pick<Context, 'db' | 'clock'>,
  { token, clientId }: { readonly token: string; readonly clientId: string | undefined },
): Promise<void> {
  const hash = hashToken(token)
  await ctx.db.write(async (tx) => {
    const row = await findToken(tx, hash)
    const grant = row === undefined ? undefined : await findGrant(tx, row.grant_id)
    if (row === undefined || grant === undefined) return
    if (clientId !== undefined && clientId !== grant.client_id) return
    const now = ctx.clock.now()
    const isOver = grant.revoked_at !== null
    if (row.kind === 'access') await deleteToken(tx, hash)
    else await endGrant(tx, grant.id, now)
    if (isOver) return
    const action = row.kind === 'access' ? 'revoke_token' : 'revoke_grant'
    await recordGrantEvent(tx, now, grant, { action, outcome: 'done' })
  })
}
