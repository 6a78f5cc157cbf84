import { roleIn } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Scope } from '#kernel/scope.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireOwnResources } from './begin-authorization.ts'
import { requireStoredClient } from './find-client.ts'
import { grantFaults } from './grant-faults.ts'
import {
  deleteAccessTokens,
  endGrant,
  extendGrant,
  findGrant,
  findToken,
  markRotated,
  type GrantRow,
} from './grant-store.ts'
import { recordGrantEvent } from './record-grant.ts'
import { readScopeList, storedScopes, within } from './scope-list.ts'
import { mintPair, refreshEnd, storePair, type TokenAnswer, type TokenPair } from './token-pair.ts'

interface Refresh {
  readonly refreshToken: string
  readonly clientId: string
  /** May narrow the access token's scopes, never widen them (RFC 6749 §6). */
  readonly scope: string | undefined
  readonly resources: readonly string[]
}

/**
 * Two windows of an application may refresh at the same time. Within this time after its exchange, a
 * refresh token is only refused. RFC 9700 §4.14.2 would revoke the grant at once, which would sign
 * legitimate users out.
 */
export const reuseToleranceMs = 30_000

/**
 * Exchanges a refresh token for a new pair; both tokens of the old pair end in the same commit
 * (interface: States). Reuse of a token that was exchanged longer ago shows a copy: the grant ends.
 *
 * @throws Fault client_unknown, resource_unknown, scope_unknown, scope_widened, grant_invalid
 */
export async function refreshTokens(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  input: Refresh,
): Promise<TokenAnswer> {
  await requireStoredClient(ctx, input.clientId)
  requireOwnResources(ctx, input.resources)
  const asked = input.scope === undefined ? null : readScopeList(input.scope)
  const pair = mintPair()
  // A refusal is a result, not an error: the grant's end must be committed.
  const outcome = await ctx.db.write((tx) => refresh(tx, ctx, input, asked, pair))
  if ('refused' in outcome) throw new Fault(outcome.refused)
  return outcome
}

type Refusal = typeof grantFaults.grant_invalid | typeof grantFaults.scope_widened

type Outcome = TokenAnswer | { readonly refused: Refusal }

const refused = { refused: grantFaults.grant_invalid } as const

async function refresh(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  input: Refresh,
  asked: readonly Scope[] | null,
  pair: TokenPair,
): Promise<Outcome> {
  const now = ctx.clock.now()
  const token = await findToken(tx, hashToken(input.refreshToken))
  const grant = token === undefined ? undefined : await findGrant(tx, token.grant_id)
  if (token === undefined || grant === undefined || token.kind !== 'refresh') return refused
  if (grant.client_id !== input.clientId || grant.revoked_at !== null) return refused
  if (token.rotated_at !== null) return await refuseReuse(tx, grant, token.rotated_at, now)
  if (token.expires_at <= now) return refused
  if ((await roleIn(tx, grant.user_id, grant.workspace_id)) === null) return refused
  const grantScopes = storedScopes(grant.scopes)
  const scopes = asked ?? grantScopes
  if (!within(scopes, grantScopes)) return { refused: grantFaults.scope_widened }
  if (!(await markRotated(tx, token.hash, now))) return refused
  await deleteAccessTokens(tx, grant.id)
  await extendGrant(tx, grant.id, refreshEnd(ctx, now))
  return await storePair(tx, ctx, pair, { now, grantId: grant.id, scopes, grantScopes })
}

async function refuseReuse(tx: Tx, grant: GrantRow, rotatedAt: number, now: number) {
  if (now - rotatedAt <= reuseToleranceMs) return refused
  await endGrant(tx, grant.id, now)
  const detail = { reused: true, grant_ended: true }
  await recordGrantEvent(tx, now, grant, { action: 'refresh_tokens', outcome: 'refused', detail })
  return refused
}
