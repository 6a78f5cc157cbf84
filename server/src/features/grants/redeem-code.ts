import { createHash } from 'node:crypto'
import { roleIn } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireOwnResources } from './begin-authorization.ts'
import type { OauthClient } from './client.ts'
import { markClientUsed } from './client-store.ts'
import { requireStoredClient } from './find-client.ts'
import { grantFaults } from './grant-faults.ts'
import { endGrant, findGrant, insertGrant, listOldestGrants } from './grant-store.ts'
import { recordGrantEvent } from './record-grant.ts'
import { burnCode, findRequestByCode, noteGrant, type RequestRow } from './request-store.ts'
import { storedScopes } from './scope-list.ts'
import { mintPair, refreshEnd, storePair, type TokenAnswer, type TokenPair } from './token-pair.ts'

interface Redemption {
  readonly code: string
  readonly clientId: string
  readonly redirectUri: string
  readonly codeVerifier: string
  readonly resources: readonly string[]
}

/**
 * Exchanges a code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.6): once, by the client it was issued to,
 * before the deadline. Every attempt uses up the code, even a failed one. A second attempt shows that
 * the code leaked, and ends the grant from the first one.
 *
 * @throws Fault client_unknown, resource_unknown, grant_invalid
 */
export async function redeemCode(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  redemption: Redemption,
): Promise<TokenAnswer> {
  const client = await requireStoredClient(ctx, redemption.clientId)
  requireOwnResources(ctx, redemption.resources)
  const pair = mintPair()
  // A refusal is a result, not an error: the used code must be committed.
  const answer = await ctx.db.write((tx) => redeem(tx, ctx, redemption, client, pair))
  if (answer === null) throw new Fault(grantFaults.grant_invalid)
  return answer
}

async function redeem(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  redemption: Redemption,
  client: OauthClient,
  pair: TokenPair,
): Promise<TokenAnswer | null> {
  const now = ctx.clock.now()
  const request = await findRequestByCode(tx, hashToken(redemption.code))
  if (request === undefined) return null
  if (!(await burnCode(tx, request.id, now))) {
    if (request.grant_id !== null) await endReplayed(tx, request.grant_id, now)
    return null
  }
  const { user_id: userId, workspace_id: workspaceId } = request
  if (userId === null || workspaceId === null) return null
  if (request.expires_at <= now || !isFor(request, redemption)) return null
  if ((await roleIn(tx, userId, workspaceId)) === null) return null
  const grantId = newId(now)
  await insertGrant(tx, {
    id: grantId,
    user_id: userId,
    workspace_id: workspaceId,
    client_id: client.id,
    client_name: client.name,
    redirect_uri: request.redirect_uri,
    scopes: request.scopes,
    reach_json: request.reach_json,
    resource: request.resource,
    created_at: now,
    expires_at: refreshEnd(ctx, now),
    last_used_at: null,
    last_used_address: null,
    last_used_agent: null,
    revoked_at: null,
  })
  await endOldest(tx, ctx, { userId, now })
  await noteGrant(tx, request.id, grantId)
  await markClientUsed(tx, client.id, now)
  const scopes = storedScopes(request.scopes)
  return await storePair(tx, ctx, pair, { now, grantId, scopes, grantScopes: scopes })
}

async function endOldest(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  of: { readonly userId: string; readonly now: number },
): Promise<void> {
  for (const grant of await listOldestGrants(tx, of, config.grantsPerPerson)) {
    await endGrant(tx, grant.id, of.now)
    const detail = { oldest: true }
    await recordGrantEvent(tx, of.now, grant, { action: 'revoke_grant', outcome: 'done', detail })
  }
}

async function endReplayed(tx: Tx, grantId: string, now: number): Promise<void> {
  const grant = await findGrant(tx, grantId)
  if (grant === undefined || grant.revoked_at !== null) return
  await endGrant(tx, grantId, now)
  const detail = { replayed: true, grant_ended: true }
  await recordGrantEvent(tx, now, grant, { action: 'redeem_code', outcome: 'refused', detail })
}

/** RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/

/** RFC 7636 §4.6, for S256, the only method there is. */
function verifierMatches(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}

/** The redirect address is compared byte for byte, port and all (RFC 6749 §4.1.3). */
function isFor(request: RequestRow, { clientId, redirectUri, codeVerifier }: Redemption): boolean {
  return (
    request.client_id === clientId &&
    request.redirect_uri === redirectUri &&
    verifierMatches(codeVerifier, request.code_challenge)
  )
}
