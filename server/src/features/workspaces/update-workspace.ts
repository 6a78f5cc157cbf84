import type { Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { getWorkspace } from './get-workspace.ts'
import { updateWorkspaceRow } from './store.ts'
import type { Workspace } from './workspace.ts'

export function updateWorkspace(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  { name }: { readonly name: string },
): Promise<Workspace> {
  return ctx.db.write(async (tx) => {
    await updateWorkspaceRow(tx, workspaceId, { name, updated_at: ctx.clock.now() })
    return getWorkspace(tx, userId, workspaceId)
  })
}

/** A step: the plan alone. Its credits belong to features/credits. */
export function putOnPlan(tx: Tx, now: number, workspaceId: string, plan: Plan): Promise<void> {
  return updateWorkspaceRow(tx, workspaceId, { plan, updated_at: now })
}
