import { html } from 'hono/html'
import {
  answerAddress,
  beginAuthorization,
  destinationOf,
  requireRedirect,
  type OauthClient,
} from '#features/grants/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { browserSecret } from '#surfaces/http/form-token.ts'
import { limitAddress } from '#surfaces/http/limits.ts'
import { answerPage, type Page } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { toOauthFault } from './oauth-faults.ts'
import { queryParameters, type Parameters } from './parameters.ts'

interface Party {
  readonly client: OauthClient
  readonly redirectUri: string
}

/**
 * GET /mcp/oauth/authorize (RFC 6749 §4.1.1). Until the client and its redirect address are
 * verified, errors are shown to the person; after that they go to the client (§4.1.2.1).
 */
export async function authorizeEndpoint(ctx: Context, c: Http): Promise<Response> {
  // Each authorization stores a row.
  const window = { limit: ctx.config.oauthAuthorizationLimit, windowSeconds: 60 }
  await limitAddress(ctx, c, 'oauth:authorize', window)
  const query = new URL(c.req.url).searchParams
  const party = await requireParty(ctx, query)
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  try {
    const handle = await begin(ctx, c, party, queryParameters(query))
    return c.redirect(pathTo(ctx.config, '/mcp/oauth/consent', { request: handle }), 303)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return await answerClient(ctx, c, party, { query, error })
  }
}

/**
 * A program on the person's own computer gets the error at once. Any web site can register itself,
 * and a deliberately invalid link would then redirect to it through our address, so the person is
 * asked first (RFC 9700 §4.11.2).
 */
async function answerClient(
  ctx: Context,
  c: Http,
  party: Party,
  { query, error }: { readonly query: URLSearchParams; readonly error: Fault },
): Promise<Response> {
  const { error: code, message: description } = toOauthFault(error)
  const answer = { error: code, error_description: description }
  const request = { redirect_uri: party.redirectUri, state: stateToReturn(query, error) }
  const address = answerAddress(ctx, request, answer)
  if (destinationOf(party.redirectUri).isThisComputer) return c.redirect(address, 303)
  // Errors on our side have their own page.
  if (error.kind !== 'invalid') throw error
  return await answerPage(c, ctx.config, wrongRequestPage(party, description, address), 400)
}

/** Only these two parameters are read before the client is known; each must be present once. */
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

/** `state` is also returned with errors, unless it is itself invalid. */
function stateToReturn(query: URLSearchParams, error: Fault): string | null {
  const states = query.getAll('state')
  const isPlain = states.length === 1 && error.facts.parameter !== 'state'
  return isPlain ? (states[0] ?? null) || null : null
}

/** Shown before the link to the client's web site: the description is what the client will get. */
function wrongRequestPage({ client, redirectUri }: Party, description: string, link: string): Page {
  const { shown } = destinationOf(redirectUri)
  return {
    title: 'This request is not valid',
    body: html`<h1>This request is not valid</h1>
      <p>${description}.</p>
      <dl class="facts">
        <div>
          <dt>Application</dt>
          <dd>${client.name}</dd>
        </div>
        <div>
          <dt>It would send you to</dt>
          <dd>${shown}</dd>
        </div>
      </dl>
      <p class="warning" role="note">
        Parley cannot verify who runs this application, and nothing was authorized. Continue only if
        you have just started this yourself.
      </p>
      <p><a class="button" href="${link}" rel="noreferrer">Go to ${shown}</a></p>`,
  }
}
