import type { Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import { readWorkspace } from './get-workspace.ts'
import { updateWorkspaceRow } from './store.ts'
import type { Workspace } from './workspace.ts'

type Membership = { readonly userId: string; readonly workspaceId: string }

export function updateWorkspace(
  ctx: Pick<Context, 'db' | 'clock'>,
  member: Membership,
  input: { readonly name: string },
): Promise<Workspace> {
  return change(ctx, member, { name: input.name })
}

/** A smaller plan takes nothing away: it only stops what would go beyond it from now on. */
export function setPlan(
  ctx: Pick<Context, 'db' | 'clock'>,
  member: Membership,
  input: { readonly plan: Plan },
): Promise<Workspace> {
  return change(ctx, member, { plan: input.plan })
}

function change(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: Membership,
  fields: { readonly name?: string; readonly plan?: Plan },
): Promise<Workspace> {
  return ctx.db.write(async (tx) => {
    await updateWorkspaceRow(tx, workspaceId, { ...fields, updated_at: ctx.clock.now() })
    return readWorkspace(tx, userId, workspaceId)
  })
}
