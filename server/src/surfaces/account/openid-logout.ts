import { endOpenIdSessions, identityFaults } from '#features/identity/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { OpenIdLogout, OpenIdProvider } from '#platform/openid/openid-provider.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { readForm } from '#surfaces/http/read-form.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

/**
 * POST /login/oidc/back-channel-logout: the provider, not a browser, ends the sessions that began with
 * it (OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8).
 */
export async function endByProvider(ctx: Context, c: Http): Promise<Response> {
  const { openId } = ctx
  if (openId === null) throw new Fault(requestFaults.unknown_path)
  c.header('Cache-Control', 'no-store')
  const logout = await readLogout(ctx, openId, c)
  if (logout === null) return refuse(c)
  try {
    await endOpenIdSessions(ctx, logout)
  } catch (error) {
    if (!isFault(error, identityFaults.logout_token_used)) throw error
    return refuse(c)
  }
  return c.body(null, 200)
}

/** Null, and a line in the log, for a request that names no session with a valid token. */
async function readLogout(
  { log }: Pick<Context, 'log'>,
  openId: OpenIdProvider,
  c: Http,
): Promise<OpenIdLogout | null> {
  try {
    const tokens = (await readForm(c.req)).getAll('logout_token')
    return tokens.length === 1 ? await openId.readLogout(tokens[0] ?? '') : null
  } catch (error) {
    log.info({ err: error }, 'a logout token was refused')
    return null
  }
}

function refuse(c: Http): Response {
  const error_description = 'One logout_token is required that is valid and was not used before'
  return c.json({ error: 'invalid_request', error_description }, 400)
}
