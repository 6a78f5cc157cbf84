import { newId } from '#kernel/ids.ts'
import type { Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertMembership, insertWorkspace } from './store.ts'
import type { Workspace } from './workspace.ts'

/** A step: a workspace owned by the person who creates it. */
export async function addWorkspace(
  tx: Tx,
  now: number,
  input: { readonly ownerId: string; readonly name: string; readonly plan: Plan },
): Promise<Workspace> {
  const { name, plan } = input
  const id = newId(now)
  await insertWorkspace(tx, { id, name, plan, created_at: now, updated_at: now, deleted_at: null })
  await insertMembership(tx, {
    workspace_id: id,
    user_id: input.ownerId,
    role: 'owner',
    created_at: now,
  })
  return { id, name, plan, role: 'owner', createdAt: now, updatedAt: now }
}

/** A new workspace on the instance's default plan, owned by the person who creates it. */
export function createWorkspace(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  userId: string,
  { name }: { readonly name: string },
): Promise<Workspace> {
  const input = { ownerId: userId, name, plan: ctx.config.defaultPlan }
  return ctx.db.write((tx) => addWorkspace(tx, ctx.clock.now(), input))
}
