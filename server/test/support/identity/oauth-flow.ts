import { createHash, randomBytes } from 'node:crypto'
import type { PickedReach } from '#features/reach/index.ts'
import type { Scope } from '#kernel/scope.ts'
import {
  authorize,
  beginAuthorization,
  redeemCode,
  refreshTokens,
  requireRedirect,
  type TokenAnswer,
} from '#features/grants/index.ts'
import { actorOf, type TestInstance, type Person } from '#test/support/test-instance.ts'

export const redirectUri = 'http://localhost:4567/callback'

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function makePkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export interface FlowOptions {
  readonly clientId?: string
  readonly scope?: string
  /** The scopes that the person leaves checked; by default all requested ones. */
  readonly granted?: readonly Scope[]
  /** What the person binds the grant to; by default nothing. */
  readonly picked?: PickedReach
}

export interface Begun {
  readonly ticket: { readonly handle: string; readonly browser: string }
  readonly pkce: Pkce
  readonly clientId: string
}

/** Continues to the consent page. */
export async function beginFlow({ ctx }: TestInstance, options: FlowOptions = {}): Promise<Begun> {
  const pkce = makePkce()
  const browser = randomBytes(32).toString('base64url')
  const clientId = options.clientId ?? 'svc_mcp_cli'
  const client = await requireRedirect(ctx, { clientId, redirectUri })
  const input = {
    responseType: 'code',
    scope: options.scope ?? '*',
    state: 'a state',
    codeChallenge: pkce.challenge,
    codeChallengeMethod: 'S256',
    resources: [],
  }
  const handle = await beginAuthorization(ctx, { client, redirectUri }, input, browser)
  return { ticket: { handle, browser }, pkce, clientId }
}

/** Continues to the authorization code. */
export async function authorizeFlow(
  instance: TestInstance,
  person: Person,
  options: FlowOptions = {},
): Promise<Begun & { readonly code: string }> {
  const begun = await beginFlow(instance, options)
  const granted = options.granted ?? ((options.scope ?? '*').split(' ') as Scope[]) // chosen by the test
  const address = await authorize(
    instance.ctx,
    actorOf(person),
    begun.ticket,
    granted,
    options.picked,
  )
  return { ...begun, code: new URL(address).searchParams.get('code') ?? '' }
}

type Authorized = Awaited<ReturnType<typeof authorizeFlow>>

/** Exchanges the code of a flow, with the fields that the test changed. */
export function redeem({ ctx }: TestInstance, flow: Authorized): Promise<TokenAnswer> {
  return redeemCode(ctx, {
    code: flow.code,
    clientId: flow.clientId,
    redirectUri,
    codeVerifier: flow.pkce.verifier,
    resources: [],
  })
}

/** Continues to the tokens. */
export async function grantFlow(
  instance: TestInstance,
  person: Person,
  options: FlowOptions = {},
): Promise<TokenAnswer> {
  return await redeem(instance, await authorizeFlow(instance, person, options))
}

export function refresh(
  { ctx }: TestInstance,
  refreshToken: string,
  { clientId = 'svc_mcp_cli', scope }: { clientId?: string; scope?: string } = {},
): Promise<TokenAnswer> {
  return refreshTokens(ctx, { refreshToken, clientId, scope, resources: [] })
}

/** The fault that a verb rejects with. */
export function refusal(code: string) {
  return { name: 'Fault', code }
}

/** Removes a person from a workspace. */
export async function leave(
  { ctx }: TestInstance,
  person: Person,
  workspaceId: string,
): Promise<void> {
  await ctx.db.write((tx) =>
    tx
      .deleteFrom('memberships')
      .where('user_id', '=', person.userId)
      .where('workspace_id', '=', workspaceId)
      .execute(),
  )
}
