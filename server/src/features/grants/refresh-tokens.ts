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

export interface Refresh {
  readonly refreshToken: string
  readonly clientId: string
  /** May narrow what the access token can do, never widen it (RFC 6749 §6). */
  readonly scope: string | undefined
  readonly resources: readonly string[]
}

/**
 * Two windows of one application, refreshing at the same moment, are no thief: a refresh token
 * that comes again this soon after its exchange is refused, and that is all (RFC 9700 §4.14.2
 * would have the family revoked at once, which signs honest people out).
 */
export const reuseToleranceMs = 30_000

/**
 * Exchanges a refresh token for a new pair; both tokens of the old pair end in the same commit
 * (interface: States). One exchanged longer ago was copied: its whole grant ends.
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
  // A refusal is a result, not an error: what it ends must be committed.
  const outcome = await ctx.db.write((tx) => refresh(tx, ctx, { input, asked, pair }))
  if ('refused' in outcome) throw new Fault(outcome.refused)
  return outcome
}

interface Refreshing {
  readonly input: Refresh
  readonly asked: readonly Scope[] | null
  readonly pair: TokenPair
}

type Refusal = typeof grantFaults.grant_invalid | typeof grantFaults.scope_widened

type Outcome = TokenAnswer | { readonly refused: Refusal }

const refused = { refused: grantFaults.grant_invalid } as const

async function refresh(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  { input, asked, pair }: Refreshing,
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
  return await rotate(tx, ctx, { now, grant, scopes, grantScopes, pair })
}

async function refuseReuse(tx: Tx, grant: GrantRow, rotatedAt: number, now: number) {
  if (now - rotatedAt <= reuseToleranceMs) return refused
  await endGrant(tx, grant.id, now)
  const detail = { reused: true, grant_ended: true }
  await recordGrantEvent(tx, now, grant, { action: 'refresh_tokens', outcome: 'refused', detail })
  return refused
}

interface Rotation {
  readonly now: number
  readonly grant: GrantRow
  readonly scopes: readonly Scope[]
  readonly grantScopes: readonly Scope[]
  readonly pair: TokenPair
}

async function rotate(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  { now, grant, scopes, grantScopes, pair }: Rotation,
): Promise<TokenAnswer> {
  await deleteAccessTokens(tx, grant.id)
  await extendGrant(tx, grant.id, refreshEnd(ctx, now))
  return await storePair(tx, ctx, pair, { now, grantId: grant.id, scopes, grantScopes })
}
