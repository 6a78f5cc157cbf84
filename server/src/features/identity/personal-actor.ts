import type { Actor } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { identityFaults } from './identity-faults.ts'
import { findFirstSeat } from './store.ts'

/**
 * A signed-in person as one who acts, in their first workspace: the oldest they own, else the
 * oldest they are a member of.
 *
 * @throws Fault no_workspace
 */
export async function personalActor(ctx: Pick<Context, 'db'>, userId: string): Promise<Actor> {
  const seat = await findFirstSeat(ctx.db.read, userId)
  if (seat === undefined) throw new Fault(identityFaults.no_workspace)
  return { userId, workspaceId: seat.workspace_id, scopes: ['*'], surface: 'dashboard' }
}
