import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { apiKeyFromRow, type ApiKey } from './api-key.ts'
import { findKey, findKeyWorkspace, markRevoked, type KeyKind } from './store.ts'

/**
 * Ends a key at once, in every process: keys are looked up on each request. A key that is revoked
 * already keeps the time of its first revocation.
 *
 * @throws Fault record_not_found
 */
export function revokeKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  kind: KeyKind,
  id: string,
): Promise<ApiKey> {
  return ctx.db.write(async (tx) => {
    const row = await findKey(tx, workspaceId, kind, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    const revoked_at = row.revoked_at ?? ctx.clock.now()
    await markRevoked(tx, id, revoked_at)
    return apiKeyFromRow({ ...row, revoked_at })
  })
}

/** The workspace of a key; undefined when there is none by that id. */
export function keyWorkspace(ctx: Pick<Context, 'db'>, id: string): Promise<string | undefined> {
  return findKeyWorkspace(ctx.db.read, id)
}
