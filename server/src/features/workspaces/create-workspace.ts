import type { Context } from '#platform/context.ts'
import { addWorkspace } from './add-workspace.ts'
import type { Workspace } from './workspace.ts'

/** A new workspace on the instance's default plan, owned by the person who makes it. */
export function createWorkspace(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  userId: string,
  input: { readonly name: string },
): Promise<Workspace> {
  const plan = ctx.config.defaultPlan
  return ctx.db.write((tx) =>
    addWorkspace(tx, ctx.clock.now(), { ownerId: userId, name: input.name, plan }),
  )
}
