import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { deleteToken, endGrant, findGrant, findToken } from './grant-store.ts'
import { recordGrantEvent } from './record-grant.ts'

/**
 * Revokes a token (RFC 7009 §2.1): an access token ends alone, a refresh token takes its whole
 * grant along. A token nobody knows is as good as revoked (§2.2), so nothing is ever refused. The
 * hint about its type is not needed: tokens are found by hash.
 *
 * @param clientId where the caller names one; another client's token is left alone
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
