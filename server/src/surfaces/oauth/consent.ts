import { credentialFaults } from '#features/credentials/index.ts'
import {
  authorize,
  deny,
  getPendingAuthorization,
  grantFaults,
  type RequestTicket,
} from '#features/grants/index.ts'
import { personalActor, type Session } from '#features/identity/index.ts'
import { listPickable } from '#features/reach/index.ts'
import { secondFactorFaults } from '#features/second-factors/index.ts'
import { listWorkspaces } from '#features/workspaces/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import { isScope, namedScopes, type Scope } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { readTokenCookie } from '#surfaces/http/cookies.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { readSession } from '#surfaces/http/signed-in.ts'
import { consentPage, type SentForm } from './consent-page.ts'
import { parameterFaults } from './parameters.ts'
import { maxAgents, maxSearchLength, type Picked } from './reach-choice.ts'

/** More workspaces than a person can choose from in one list. */
const maxWorkspaces = 100

/** GET /mcp/oauth/consent?request=…: shows what an application requests, and for which account. */
export async function showConsent(ctx: Context, c: Http): Promise<Response> {
  const ticket = readTicket(ctx, c, c.req.query('request'))
  // Checked first, so that a person does not sign in for a request that has expired.
  await getPendingAuthorization(ctx, ticket)
  const session = await readSession(ctx, c)
  if (session === null) return askToSignIn(ctx, c, ticket)
  return await answerConsent(ctx, c, ticket, session)
}

/**
 * POST /mcp/oauth/consent: Authorize or Deny, or a search for agents. Nothing is granted without this
 * form.
 */
export async function decideConsent(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const ticket = readTicket(ctx, c, form.get('request') ?? undefined)
  const session = await readSession(ctx, c)
  if (session === null) return askToSignIn(ctx, c, ticket)
  requireFormToken(ctx, c, purposeOf(ticket), form)
  if (form.get('decision') === 'find')
    return await answerConsent(ctx, c, ticket, session, { form, isEmpty: false })
  try {
    const address =
      requireDecision(form) === 'authorize'
        ? await grant(ctx, session, ticket, form)
        : await deny(ctx, await chosenActor(ctx, session, form), ticket)
    c.header('Cache-Control', 'no-store')
    c.header('Referrer-Policy', 'no-referrer')
    // 303: the browser must not forward the form to the application (RFC 9700 §4.12).
    return c.redirect(address, 303)
  } catch (error) {
    if (isFault(error, credentialFaults.credential_ended)) return askToSignIn(ctx, c, ticket)
    if (isFault(error, secondFactorFaults.second_factor_required))
      return leadTo(ctx, c, ticket, '/account/second-factor')
    if (!isFault(error, grantFaults.nothing_granted)) throw error
    return await answerConsent(ctx, c, ticket, session, { form, isEmpty: true })
  }
}

function readTicket(ctx: Context, c: Http, handle: string | undefined): RequestTicket {
  const browser = readTokenCookie(c, ctx.config, 'browser')
  if (handle === undefined || browser === null) throw new Fault(grantFaults.request_unknown)
  return { handle, browser }
}

/** Without a button there is no decision, and the request remains open. */
function requireDecision(form: URLSearchParams): 'authorize' | 'deny' {
  const decision = form.get('decision')
  if (decision === 'authorize' || decision === 'deny') return decision
  throw new Fault(parameterFaults.parameter_missing, { parameter: 'decision' })
}

/** A form is valid for one request, in one browser and one session. */
function purposeOf({ handle }: RequestTicket): string {
  return `consent:${handle}`
}

function consentPath(ctx: Context, { handle }: RequestTicket): string {
  return pathTo(ctx.config, '/mcp/oauth/consent', { request: handle })
}

async function grant(
  ctx: Context,
  session: Session,
  ticket: RequestTicket,
  form: URLSearchParams,
): Promise<string> {
  const actor = await chosenActor(ctx, session, form)
  const scopes = await grantedScopes(ctx, ticket, form)
  return await authorize(ctx, actor, ticket, scopes, pickedIn(form))
}

function askToSignIn(ctx: Context, c: Http, ticket: RequestTicket): Response {
  return leadTo(ctx, c, ticket, '/login')
}

/** The request stays open: from that page, the person comes back to it and decides. */
function leadTo(ctx: Context, c: Http, ticket: RequestTicket, path: string): Response {
  c.header('Cache-Control', 'no-store')
  return c.redirect(pathTo(ctx.config, path, { return_to: consentPath(ctx, ticket) }), 303)
}

async function answerConsent(
  ctx: Context,
  c: Http,
  ticket: RequestTicket,
  session: Session,
  sent?: SentForm,
): Promise<Response> {
  const request = await getPendingAuthorization(ctx, ticket)
  const actor = await personalActor(ctx, session.user.id)
  const { items } = await listWorkspaces(ctx, session.user.id, { limit: maxWorkspaces })
  const picked = pickedIn(sent?.form ?? new URLSearchParams())
  const search = (sent?.form.get('agents_like') ?? '').trim().slice(0, maxSearchLength)
  const query = { limit: maxAgents, search: storable(search), picked: picked.agents }
  const page = consentPage(ctx.config, {
    request,
    handle: ticket.handle,
    returnTo: consentPath(ctx, ticket),
    email: session.user.email,
    workspaces: items,
    ...(await listPickable(ctx, session.user.id, query)),
    workspaceId: sent?.form.get('workspace_id') ?? actor.workspaceId,
    token: formToken(ctx, c, purposeOf(ticket)),
    signOutToken: formToken(ctx, c, accountPurpose),
    sent,
    picked,
    search,
    searchPath: pathTo(ctx.config, '/mcp/oauth/consent'),
  })
  const formTargets = [new URL(request.redirectUri)]
  const status = sent?.isEmpty === true ? 422 : 200
  return await answerPage(c, ctx.config, { ...page, formTargets }, status)
}

function pickedIn(form: URLSearchParams): Picked {
  return { workspaces: form.getAll('reach_workspace'), agents: form.getAll('reach_agent') }
}

/** PostgreSQL rejects U+0000, and no name contains it. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

async function chosenActor(ctx: Context, session: Session, form: URLSearchParams): Promise<Actor> {
  const actor = await personalActor(ctx, session.user.id)
  // `authorize` checks that the person is a member of the workspace.
  const workspaceId = form.get('workspace_id') ?? actor.workspaceId
  return { ...actor, workspaceId, session: session.id }
}

/**
 * The scopes that remain after the person's choices. If everything was requested and everything is
 * checked, the grant is `*`, which includes scopes added later.
 */
async function grantedScopes(
  ctx: Context,
  ticket: RequestTicket,
  form: URLSearchParams,
): Promise<readonly Scope[]> {
  const { scopes } = await getPendingAuthorization(ctx, ticket)
  const checked = form.getAll('scope').map((word) => {
    if (isScope(word)) return word
    throw new Fault(grantFaults.more_than_asked)
  })
  if (form.get('access') === 'read_only') return checked.filter((scope) => scope.endsWith(':read'))
  const isEverything = Object.keys(namedScopes).every((scope) => checked.some((s) => s === scope))
  return scopes.includes('*') && isEverything ? ['*'] : checked
}
