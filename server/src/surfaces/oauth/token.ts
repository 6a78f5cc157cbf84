import {
  grantFaults,
  redeemCode,
  refreshTokens,
  revokeToken,
  type TokenAnswer,
} from '#features/grants/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import type { LimitFailures } from './failure-limit.ts'
import { bodyParameters, parameterFaults, type Parameters } from './parameters.ts'

/** POST /mcp/oauth/token (RFC 6749 §4.1.3 and §6) */
export async function token(
  ctx: Context,
  c: Http,
  limitFailures: LimitFailures,
): Promise<Response> {
  // The body is read before the call takes a slot of the failure limit, so that a slow sender holds
  // none. An invalid body is refused and counted afterwards.
  const [body] = await Promise.allSettled([bodyParameters(c.req)])
  const answer = await limitFailures(`oauth:token:${clientAddress(c, ctx.config)}`, async () => {
    requirePublicClient(c)
    if (body.status === 'rejected') throw body.reason
    return await exchange(ctx, body.value)
  })
  return c.json({
    access_token: answer.accessToken,
    token_type: 'Bearer',
    expires_in: answer.expiresInSeconds,
    refresh_token: answer.refreshToken,
    scope: answer.scopes.join(' '),
  })
}

async function exchange(
  ctx: Context,
  { required, optional, resources }: Parameters,
): Promise<TokenAnswer> {
  switch (required('grant_type')) {
    case 'authorization_code':
      return await redeemCode(ctx, {
        code: required('code'),
        clientId: required('client_id'),
        redirectUri: required('redirect_uri'),
        codeVerifier: required('code_verifier'),
        resources,
      })
    case 'refresh_token':
      return await refreshTokens(ctx, {
        refreshToken: required('refresh_token'),
        clientId: required('client_id'),
        scope: optional('scope'),
        resources,
      })
    default:
      throw new Fault(grantFaults.grant_type_unsupported)
  }
}

/** POST /mcp/oauth/revoke (RFC 7009): afterwards the token is invalid, whatever its state was. */
export async function revoke(ctx: Context, c: Http): Promise<Response> {
  requirePublicClient(c)
  const parameters = await bodyParameters(c.req)
  await revokeToken(ctx, {
    token: parameters.required('token'),
    clientId: parameters.optional('client_id'),
  })
  return c.json({})
}

/** A client that authenticates expects a secret, but all clients are public (RFC 6749 §2.3). */
function requirePublicClient(c: Http): void {
  if (c.req.header('authorization') === undefined) return
  throw new Fault(parameterFaults.client_authentication_unsupported)
}
