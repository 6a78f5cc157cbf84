import { hasSecondFactor, secondFactorFaults } from '#features/second-factors/index.ts'
import type { Role } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { findMemberWorkspace, updateWorkspaceRow } from './store.ts'
import { workspaceFaults } from './workspace-faults.ts'
import { roleFromRow, type Workspace } from './workspace.ts'
import { getWorkspace } from './workspaces.ts'

/**
 * The role in which a person may act in a workspace; null for a stranger, and when the workspace is
 * deleted. Only owners of a workspace that requires a second factor cost a second query.
 *
 * @throws Fault second_factor_required for such an owner without one
 */
export async function actingRoleIn(
  reader: Reader,
  userId: string,
  workspaceId: string,
): Promise<Role | null> {
  const row = await findMemberWorkspace(reader, userId, workspaceId)
  if (row === undefined) return null
  const role = roleFromRow(row.role)
  const needsFactor = role === 'owner' && row.owners_need_second_factor === 1
  if (needsFactor && !(await hasSecondFactor(reader, userId)))
    throw new Fault(secondFactorFaults.second_factor_required, { workspace: row.name })
  return role
}

/**
 * Sets whether a workspace requires a second factor of its owners. The requirement applies from each
 * owner's next request on, whatever the credential.
 *
 * @throws Fault own_factor_missing when the person who sets it has none
 */
export function setFactorOfOwners(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  isRequired: boolean,
): Promise<Workspace> {
  return ctx.db.write(async (tx) => {
    if (isRequired && !(await hasSecondFactor(tx, userId)))
      throw new Fault(workspaceFaults.own_factor_missing)
    const change = { owners_need_second_factor: Number(isRequired), updated_at: ctx.clock.now() }
    await updateWorkspaceRow(tx, workspaceId, change)
    return await getWorkspace(tx, userId, workspaceId)
  })
}
