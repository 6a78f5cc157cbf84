import { hasWorkspaceRoom, requireWorkspaceRoom } from '#features/quotas/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { findBillingUser, listOtherOwners, setBillingUser } from './store.ts'

/*
 * The billing owner is the person whose limit a workspace counts towards and whose workspaces share
 * its included credits: the one who created it, until they hand it over.
 */

/**
 * A step: a billing owner who transfers the workspace stops being its billing owner.
 *
 * @throws Fault limit_reached when the new owner has as many workspaces as a person may own
 */
export async function transferBilling(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  {
    workspaceId,
    from,
    to,
  }: { readonly workspaceId: string; readonly from: string; readonly to: string },
): Promise<void> {
  if ((await findBillingUser(tx, workspaceId)) !== from) return
  await requireWorkspaceRoom(tx, ctx, to)
  await setBillingUser(tx, workspaceId, to)
}

/**
 * A step: follows a person who is no longer an owner. The owner with the longest membership who may
 * own one more workspace succeeds them. If there is none, the workspace still counts for the former
 * owner: removing a person must never fail, and giving workspaces away must not evade the limit.
 */
export async function passBilling(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<void> {
  if ((await findBillingUser(tx, workspaceId)) !== userId) return
  for (const owner of await listOtherOwners(tx, workspaceId, userId))
    if (await hasWorkspaceRoom(tx, ctx, owner)) return await setBillingUser(tx, workspaceId, owner)
}
