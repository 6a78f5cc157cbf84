import type { Context as HonoContext } from 'hono'
import {
  answerAddress,
  beginAuthorization,
  requireRedirect,
  type OauthClient,
} from '#features/grants/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { browserSecret } from '#surfaces/http/form-token.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { limitAuthorizations } from './limits.ts'
import { toOauthFault } from './oauth-faults.ts'
import { queryParameters, type Parameters } from './parameters.ts'

type Http = HonoContext<HttpEnvironment>

interface Party {
  readonly client: OauthClient
  readonly redirectUri: string
}

/**
 * GET /mcp/oauth/authorize (RFC 6749 §4.1.1). Until the client and where it may be sent are known,
 * what is wrong is shown to the person; after that it is told to the client (§4.1.2.1).
 */
export async function authorizeEndpoint(ctx: Context, c: Http): Promise<Response> {
  await limitAuthorizations(ctx, c)
  const query = new URL(c.req.url).searchParams
  const party = await requireParty(ctx, query)
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  try {
    const handle = await begin(ctx, c, party, queryParameters(query))
    return c.redirect(pathTo(ctx.config, '/mcp/oauth/consent', { request: handle }), 303)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return c.redirect(errorAddress(ctx, party, query, error), 303)
  }
}

/** Only these two are read before it is known whom to tell; each must be there once. */
async function requireParty(ctx: Context, query: URLSearchParams): Promise<Party> {
  const named = ['client_id', 'redirect_uri'].flatMap((name) =>
    query.getAll(name).map((value): [string, string] => [name, value]),
  )
  const parameters = queryParameters(new URLSearchParams(named))
  const clientId = parameters.required('client_id')
  const redirectUri = parameters.required('redirect_uri')
  return { client: await requireRedirect(ctx, { clientId, redirectUri }), redirectUri }
}

function begin(ctx: Context, c: Http, party: Party, parameters: Parameters): Promise<string> {
  const input = {
    responseType: parameters.required('response_type'),
    scope: parameters.optional('scope'),
    state: parameters.optional('state'),
    codeChallenge: parameters.optional('code_challenge'),
    codeChallengeMethod: parameters.optional('code_challenge_method'),
    resources: parameters.resources,
  }
  return beginAuthorization(ctx, party, input, browserSecret(ctx, c))
}

/** `state` goes back on errors too, unless it is itself what is wrong. */
function errorAddress(ctx: Context, party: Party, query: URLSearchParams, error: Fault): string {
  const { error: name, description } = toOauthFault(error)
  const states = query.getAll('state')
  const isPlain = states.length === 1 && error.facts.parameter !== 'state'
  const request = {
    redirect_uri: party.redirectUri,
    state: isPlain ? (states[0] ?? null) || null : null,
  }
  return answerAddress(ctx, request, { error: name, error_description: description })
}
