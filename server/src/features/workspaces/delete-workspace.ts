import { requireWorkspaceRoom } from '#features/quotas/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import {
  hasRunningSubscription,
  isRestorable,
  listDeletedWorkspaceRows,
  markDeleted,
  markRestored,
  type DeletedWorkspaceRow,
} from './deleted-workspace-store.ts'
import { actingRoleIn } from './factor-of-owners.ts'
import { findBillingUser } from './store.ts'
import { getWorkspace } from './workspaces.ts'
import { workspaceFaults } from './workspace-faults.ts'
import type { Workspace } from './workspace.ts'

type Membership = { readonly userId: string; readonly workspaceId: string }
type DeleteContext = Pick<Context, 'db' | 'clock' | 'config'>

/** A deleted workspace that can be restored. */
interface DeletedWorkspace {
  readonly id: string
  readonly name: string
  readonly deletedAt: number
  /** After this moment it may be purged. */
  readonly restorableUntil: number
}

/**
 * Deletes a workspace: its keys, tokens, agents and jobs stop at once, on every surface. Its owners
 * can restore it until it is purged.
 *
 * @param confirmName its name, typed to confirm that the person means this workspace
 * @throws Fault record_not_found, permission_denied, confirm_name_wrong, subscription_running
 */
export function deleteWorkspace(
  ctx: DeleteContext,
  { userId, workspaceId }: Membership,
  confirmName: string,
): Promise<DeletedWorkspace> {
  return ctx.db.write(async (tx) => {
    const { id, name, role } = await getWorkspace(tx, userId, workspaceId)
    if (role !== 'owner') throw new Fault(commonFaults.permission_denied, { role, needs: 'owner' })
    if (confirmName.trim() !== name) throw new Fault(workspaceFaults.confirm_name_wrong, { name })
    if (await hasRunningSubscription(tx, id)) throw new Fault(workspaceFaults.subscription_running)
    const now = ctx.clock.now()
    await markDeleted(tx, id, { userId, now })
    return deletedFromRow(ctx, { id, name, deleted_at: now })
  })
}

/** The deleted workspaces that a person owns and can restore, oldest first. */
export function listDeletedWorkspaces(
  ctx: DeleteContext,
  userId: string,
  page: PageRequest,
): Promise<Page<DeletedWorkspace>> {
  return pageById(
    page,
    (window) => listDeletedWorkspaceRows(ctx.db.read, userId, window),
    (row) => deletedFromRow(ctx, row),
  )
}

/**
 * Undoes a deletion: everything works as before.
 *
 * @throws Fault record_not_found for anyone but its owners, and once its purge has begun;
 *   limit_reached, second_factor_required
 */
export function restoreWorkspace(
  ctx: DeleteContext,
  userId: string,
  id: string,
): Promise<Workspace> {
  return ctx.db.write(async (tx) => {
    if (!(await isRestorable(tx, userId, id))) throw new Fault(commonFaults.record_not_found)
    await requireWorkspaceRoom(tx, ctx, (await findBillingUser(tx, id)) ?? userId)
    await markRestored(tx, id, ctx.clock.now())
    await actingRoleIn(tx, userId, id)
    return await getWorkspace(tx, userId, id)
  })
}

/** How long deleted data is kept, in milliseconds. */
export function retentionMs({ workspaceRetentionDays }: Context['config']): number {
  return workspaceRetentionDays * dayMs
}

function deletedFromRow(
  { config }: Pick<Context, 'config'>,
  { id, name, deleted_at: deletedAt }: DeletedWorkspaceRow,
): DeletedWorkspace {
  return { id, name, deletedAt, restorableUntil: deletedAt + retentionMs(config) }
}
