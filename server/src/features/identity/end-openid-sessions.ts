import { Fault } from '#kernel/fault.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { OpenIdLogout } from '#platform/openid/openid-provider.ts'
import { identityFaults } from './identity-faults.ts'
import { deleteOpenIdSessions, spendLogout } from './openid-logout-store.ts'
import { recordPersonal } from './record-personal.ts'
import { findIdentityUser } from './store.ts'

/** Hashed, because a provider chooses the length and the characters of its session ids. */
export function openIdSessionHash(issuer: string, sessionId: string | null): string | null {
  return sessionId === null ? null : hashToken(JSON.stringify([issuer, sessionId]))
}

/**
 * Ends the sign-in sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0 §2.6):
 * those of one of the provider's sessions, or all that a person opened with the provider. A person
 * without an account has none. A token works once, so that a stolen one ends no later session.
 *
 * @throws Fault logout_token_used
 */
export async function endOpenIdSessions(
  ctx: Pick<Context, 'db' | 'clock'>,
  { issuer, subject, sessionId, tokenId, expiresAt }: OpenIdLogout,
): Promise<void> {
  const hash = hashToken(JSON.stringify([issuer, tokenId]))
  await ctx.db.write(async (tx) => {
    if (!(await spendLogout(tx, { hash, expires_at: expiresAt })))
      throw new Fault(identityFaults.logout_token_used)
    const user = subject === null ? null : await findIdentityUser(tx, issuer, subject)
    if (user === undefined) return
    const sessionHash = openIdSessionHash(issuer, sessionId)
    const ended = await deleteOpenIdSessions(tx, { userId: user?.id ?? null, sessionHash })
    for (const userId of ended) await recordPersonal(tx, ctx.clock.now(), userId, 'openid_logout')
  })
}
