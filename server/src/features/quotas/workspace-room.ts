import { allowedOf } from '#kernel/limits.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { ownsFirstWorkspace } from './operator-store.ts'
import { limitReached } from './limit-reached.ts'
import { countWorkspacesOf } from './workspace-count-store.ts'

const name = 'workspaces_per_person'

/** A step: whether a person may own one more workspace. Operators may own any number. */
export async function hasWorkspaceRoom(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  userId: string,
): Promise<boolean> {
  const allowed = allowedOf(config, name)
  if (allowed === null) return true
  const { live } = await countWorkspacesOf(tx, userId)
  return live < allowed || (await ownsFirstWorkspace(tx, userId))
}

/**
 * A step: belongs in the unit that adds, restores or transfers a workspace, so that two callers cannot
 * both take the last slot.
 *
 * @throws Fault limit_reached
 */
export async function requireWorkspaceRoom(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  userId: string,
): Promise<void> {
  if (await hasWorkspaceRoom(tx, ctx, userId)) return
  throw limitReached(name, allowedOf(ctx.config, name) ?? 0)
}

/**
 * A step: the same for a new workspace. As many deleted ones may wait for their purge as live ones may
 * exist; otherwise deleting and creating would fill the database.
 *
 * @throws Fault limit_reached
 */
export async function requireNewWorkspaceRoom(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  userId: string,
): Promise<void> {
  await requireWorkspaceRoom(tx, ctx, userId)
  const allowed = allowedOf(ctx.config, name)
  if (allowed === null || (await countWorkspacesOf(tx, userId)).deleted <= allowed) return
  if (!(await ownsFirstWorkspace(tx, userId))) throw limitReached(name, allowed)
}
