import { Fault } from '#kernel/fault.ts'
import type { Scope } from '#kernel/scope.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import type { OauthClient } from './client.ts'
import { findStoredClient } from './find-client.ts'
import { grantFaults } from './grant-faults.ts'
import { destinationOf, type Destination } from './redirect-address.ts'
import { findRequest, type RequestRow } from './request-store.ts'
import { storedScopes } from './scope-list.ts'

/** A request as its browser holds it. */
export interface RequestTicket {
  readonly handle: string
  readonly browser: string
}

/** The request that a person decides on. */
export interface PendingAuthorization {
  readonly client: OauthClient
  readonly redirectUri: string
  readonly destination: Destination
  readonly scopes: readonly Scope[]
  /** Epoch milliseconds: the one deadline of sign-in, consent and code. */
  readonly expiresAt: number
}

/**
 * The undecided request, for the browser that began it.
 *
 * @throws Fault request_unknown, request_expired, request_answered
 */
export async function getPendingAuthorization(
  ctx: Pick<Context, 'db' | 'clock'>,
  ticket: RequestTicket,
): Promise<PendingAuthorization> {
  const row = await requirePending(ctx.db.read, ctx.clock.now(), ticket)
  const client = await findStoredClient(ctx, row.client_id)
  if (client === null) throw new Fault(grantFaults.request_unknown)
  return {
    client,
    redirectUri: row.redirect_uri,
    destination: destinationOf(row.redirect_uri),
    scopes: storedScopes(row.scopes),
    expiresAt: row.expires_at,
  }
}

/**
 * A step. Another browser's request counts as unknown.
 *
 * @throws Fault request_unknown, request_expired, request_answered
 */
export async function requirePending(
  reader: Reader,
  now: number,
  { handle, browser }: RequestTicket,
): Promise<RequestRow> {
  const row = await findRequest(reader, hashToken(handle))
  if (row === undefined || row.browser_hash !== hashToken(browser))
    throw new Fault(grantFaults.request_unknown)
  if (row.decided_at !== null) throw new Fault(grantFaults.request_answered)
  if (row.expires_at <= now) throw new Fault(grantFaults.request_expired)
  return row
}
