import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { isOwnResource, resourceOf } from './addresses.ts'
import type { OauthClient } from './client.ts'
import { grantFaults } from './grant-faults.ts'
import { insertRequest } from './request-store.ts'
import { readScopeList, writeScopeList } from './scope-list.ts'

/** From the first redirect to the redeemed code (interface: Limits). */
const authorizationLifetimeMs = 5 * 60 * 1000

interface AuthorizationInput {
  readonly responseType: string | undefined
  readonly scope: string | undefined
  readonly state: string | undefined
  readonly codeChallenge: string | undefined
  readonly codeChallengeMethod: string | undefined
  /** RFC 8707 §2 allows several. */
  readonly resources: readonly string[]
}

/**
 * Checks an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2) and stores it until
 * the person decides. This starts its only deadline.
 *
 * @param party the client, and the address that `requireRedirect` accepted
 * @param browser the secret of the requesting browser: no other may decide
 * @returns the handle by which the consent page names the request
 * @throws Fault response_type_unsupported, challenge_required, scope_unknown, resource_unknown
 */
export async function beginAuthorization(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  party: { readonly client: OauthClient; readonly redirectUri: string },
  input: AuthorizationInput,
  browser: string,
): Promise<string> {
  if (input.responseType !== 'code') throw new Fault(grantFaults.response_type_unsupported)
  const challenge = requireChallenge(input)
  const scopes = readScopeList(input.scope)
  requireOwnResources(ctx, input.resources)
  const handle = mintToken('')
  const now = ctx.clock.now()
  const row = {
    id: newId(now),
    handle_hash: handle.hash,
    browser_hash: hashToken(browser),
    client_id: party.client.id,
    redirect_uri: party.redirectUri,
    scopes: writeScopeList(scopes),
    reach_json: null,
    state: input.state ?? null,
    code_challenge: challenge,
    resource: resourceOf(ctx.config),
    created_at: now,
    expires_at: now + authorizationLifetimeMs,
    decided_at: null,
    user_id: null,
    workspace_id: null,
    code_hash: null,
    redeemed_at: null,
    grant_id: null,
  }
  await ctx.db.write((tx) => insertRequest(tx, row))
  return handle.token
}

/** SHA-256 in base64url is always 43 characters (RFC 7636 §4.2). */
const challengeForm = /^[A-Za-z0-9_-]{43}$/

/** A missing method means `plain` (RFC 7636 §4.3), which gives no protection. */
function requireChallenge({ codeChallenge, codeChallengeMethod }: AuthorizationInput): string {
  if (
    codeChallengeMethod === 'S256' &&
    codeChallenge !== undefined &&
    challengeForm.test(codeChallenge)
  )
    return codeChallenge
  throw new Fault(grantFaults.challenge_required)
}

/** @throws Fault resource_unknown */
export function requireOwnResources(
  { config }: Pick<Context, 'config'>,
  resources: readonly string[],
): void {
  if (resources.every((resource) => isOwnResource(config, resource))) return
  throw new Fault(grantFaults.resource_unknown)
}
