import { commonFaults, Fault } from '#kernel/fault.ts'
import { camelKeys, type CamelKeys } from '#kernel/key-case.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import { readReach, type Reach } from '#kernel/reach.ts'
import type { Scope } from '#kernel/scope.ts'
import type { Context } from '#platform/context.ts'
import { endGrant, findGrant, listGrants, type GrantRow } from './grant-store.ts'
import { destinationOf } from './redirect-address.ts'
import { storedScopes } from './scope-list.ts'

/** A person's grant to an application, until it is revoked or not refreshed in time. */
export interface ConnectedApp extends Omit<
  CamelKeys<GrantRow>,
  'userId' | 'clientName' | 'redirectUri' | 'resource' | 'scopes' | 'reachJson'
> {
  readonly name: string
  /** Where it redirected the person to. */
  readonly returnsTo: string
  readonly scopes: readonly Scope[]
  /** What it is bound to; undefined: wherever the person may act. */
  readonly reach: Reach | undefined
}

/** The applications that still have a grant from the person, newest first. */
export function listConnectedApps(
  ctx: Pick<Context, 'db' | 'clock'>,
  userId: string,
  page: PageRequest,
): Promise<Page<ConnectedApp>> {
  const filter = { userId, now: ctx.clock.now() }
  return pageById(page, (window) => listGrants(ctx.db.read, filter, window), connectedAppFromRow)
}

/**
 * Ends a person's grant to an application with all its tokens, at once and in every process.
 *
 * @throws Fault record_not_found
 */
export function revokeConnectedApp(
  ctx: Pick<Context, 'db' | 'clock'>,
  userId: string,
  id: string,
): Promise<ConnectedApp> {
  return ctx.db.write(async (tx) => {
    const row = await findGrant(tx, id)
    if (row === undefined || row.user_id !== userId) throw new Fault(commonFaults.record_not_found)
    const revoked_at = row.revoked_at ?? ctx.clock.now()
    await endGrant(tx, id, revoked_at)
    return connectedAppFromRow({ ...row, revoked_at })
  })
}

function connectedAppFromRow(row: GrantRow): ConnectedApp {
  const { user_id: _user, resource: _resource, client_name: name, ...rest } = row
  const { redirect_uri, reach_json, scopes, ...same } = rest
  return {
    ...camelKeys(same),
    name,
    returnsTo: destinationOf(redirect_uri).shown,
    scopes: storedScopes(scopes),
    reach: readReach(reach_json),
  }
}
