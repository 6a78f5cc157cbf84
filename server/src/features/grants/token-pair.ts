import type { Scope } from '#kernel/scope.ts'
import { mintToken, tokenPrefixes, type MintedToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertTokens } from './grant-store.ts'
import { writeScopeList } from './scope-list.ts'

/** The answer to a token request (RFC 6749 §5.1). */
export interface TokenAnswer {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
  readonly scopes: readonly Scope[]
}

export interface TokenPair {
  readonly access: MintedToken
  readonly refresh: MintedToken
}

/** Called before the unit that stores it: a unit may run twice. */
export function mintPair(): TokenPair {
  return {
    access: mintToken(tokenPrefixes.accessToken),
    refresh: mintToken(tokenPrefixes.refreshToken),
  }
}

/** When a refresh token issued now expires, and with it a grant that is not refreshed. */
export function refreshEnd({ config }: Pick<Context, 'config'>, now: number): number {
  return now + config.oauthRefreshTokenTtlSeconds * 1000
}

/**
 * A step: stores a pair. The access token has the scopes asked for now; the refresh token keeps
 * those of the grant (RFC 6749 §6).
 */
export async function storePair(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  pair: TokenPair,
  input: {
    readonly now: number
    readonly grantId: string
    readonly scopes: readonly Scope[]
    readonly grantScopes: readonly Scope[]
  },
): Promise<TokenAnswer> {
  const { now, grantId, scopes, grantScopes } = input
  const expiresInSeconds = ctx.config.oauthAccessTokenTtlSeconds
  const common = { grant_id: grantId, created_at: now, rotated_at: null }
  await insertTokens(tx, [
    {
      ...common,
      hash: pair.access.hash,
      kind: 'access',
      scopes: writeScopeList(scopes),
      expires_at: now + expiresInSeconds * 1000,
    },
    {
      ...common,
      hash: pair.refresh.hash,
      kind: 'refresh',
      scopes: writeScopeList(grantScopes),
      expires_at: refreshEnd(ctx, now),
    },
  ])
  return {
    accessToken: pair.access.token,
    refreshToken: pair.refresh.token,
    expiresInSeconds,
    scopes,
  }
}
