import { resolveReach, type PickedReach } from '#features/reach/index.ts'
import { recordEvent } from '#features/audit/index.ts'
import { requireLiveCredential } from '#features/credentials/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { reachesInto, workspacesWithin, writeReach, type Reach } from '#kernel/reach.ts'
import { normalizeScopes, type Scope } from '#kernel/scope.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { actingRoleIn } from '#features/workspaces/index.ts'
import { issuerOf } from './addresses.ts'
import { grantFaults } from './grant-faults.ts'
import { requirePending, type RequestTicket } from './pending-authorization.ts'
import { decideRequest, type Decision, type RequestRow } from './request-store.ts'
import { storedScopes, within, writeScopeList } from './scope-list.ts'

type DecisionContext = Pick<Context, 'db' | 'clock' | 'config'>

/**
 * The person agrees: creates a code for the client, with the request's deadline. The grant is created
 * when the client redeems the code.
 *
 * @param person their workspace becomes the grant's default workspace, if it is within reach
 * @param granted no more than was requested
 * @param picked what the grant is bound to; nothing picked means no bounds
 * @returns the address to send the browser to (RFC 6749 §4.1.2, RFC 9207 §2)
 * @throws Fault nothing_granted, more_than_asked, record_not_found, reach_unknown,
 *   second_factor_required, credential_ended, and as getPendingAuthorization
 */
export async function authorize(
  ctx: DecisionContext,
  person: Actor,
  ticket: RequestTicket,
  granted: readonly Scope[],
  picked: PickedReach = {},
): Promise<string> {
  if (granted.length === 0) throw new Fault(grantFaults.nothing_granted)
  const reach = await resolveReach(ctx.db.read, person.userId, picked)
  const actor = { ...person, workspaceId: startOf(reach, person.workspaceId) }
  const code = mintToken('')
  const scopes = normalizeScopes(granted)
  const row = await ctx.db.write(async (tx) => {
    await requireLiveCredential(tx, person)
    if ((await actingRoleIn(tx, actor.userId, actor.workspaceId)) === null)
      throw new Fault(commonFaults.record_not_found)
    const request = await requirePending(tx, ctx.clock.now(), ticket)
    if (!within(scopes, storedScopes(request.scopes))) throw new Fault(grantFaults.more_than_asked)
    const decision = {
      workspace_id: actor.workspaceId,
      scopes: writeScopeList(scopes),
      reach_json: writeReach(reach),
      code_hash: code.hash,
    }
    await decide(tx, ctx, { actor, request, decision, action: 'authorize_app' })
    return request
  })
  return answerAddress(ctx, row, { code: code.token })
}

/** A bound grant starts in a workspace within its reach. */
function startOf(reach: Reach | undefined, chosen: string): string {
  if (reach === undefined || reachesInto(reach, chosen)) return chosen
  return workspacesWithin(reach)[0] ?? chosen
}

/**
 * The person declines.
 *
 * @returns the address to send the browser to (RFC 6749 §4.1.2.1)
 * @throws Fault as getPendingAuthorization
 */
export async function deny(
  ctx: DecisionContext,
  actor: Actor,
  ticket: RequestTicket,
): Promise<string> {
  const row = await ctx.db.write(async (tx) => {
    const request = await requirePending(tx, ctx.clock.now(), ticket)
    await decide(tx, ctx, { actor, request, decision: {}, action: 'deny_app' })
    return request
  })
  return answerAddress(ctx, row, {
    error: 'access_denied',
    error_description: 'The person declined',
  })
}

interface Deciding {
  readonly actor: Actor
  readonly request: RequestRow
  readonly decision: Omit<Decision, 'decided_at' | 'user_id'>
  readonly action: 'authorize_app' | 'deny_app'
}

/** If a request is answered twice, by two tabs or a double click, one answer counts. */
async function decide(tx: Tx, { clock }: DecisionContext, deciding: Deciding): Promise<void> {
  const { actor, request, decision, action } = deciding
  const now = clock.now()
  const settled = { ...decision, decided_at: now, user_id: actor.userId }
  if (!(await decideRequest(tx, request.id, settled))) throw new Fault(grantFaults.request_answered)
  await recordEvent(tx, now, {
    actor,
    workspaceId: actor.workspaceId,
    action,
    target: request.client_id,
    outcome: action === 'authorize_app' ? 'done' : 'refused',
    detail: {
      redirect_uri: request.redirect_uri,
      scopes: decision.scopes ?? request.scopes,
      ...(typeof decision.reach_json === 'string' ? { reach: decision.reach_json } : {}),
    },
  })
}

/** The address that answers the client by redirect; `state` is returned unchanged. */
export function answerAddress(
  { config }: Pick<Context, 'config'>,
  request: { readonly redirect_uri: string; readonly state: string | null },
  answer: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams(answer)
  if (request.state !== null) parameters.set('state', request.state)
  parameters.set('iss', issuerOf(config))
  // The registered address keeps its own query, byte for byte (RFC 6749 §3.1.2).
  const joint = request.redirect_uri.includes('?') ? '&' : '?'
  return `${request.redirect_uri}${joint}${parameters.toString()}`
}
